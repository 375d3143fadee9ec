import type { AnyNode, ArrowFunctionExpression, Program, TemplateLiteral } from 'acorn';
import { type Env, type State, TooDetailed } from './state.ts';
import { childrenOf, staticKey } from './syntax.ts';
import { evaluate } from './values.ts';

/**
 * The hosts of all URLs in a text. `open`: the text continues with an unknown part, so a host at
 * its end is left out.
 */
export function hostsIn(text: string, open = false): string[] {
  const hosts: string[] = [];
  for (const match of text.matchAll(URL_AUTHORITY)) {
    const goesOn = open && match.index + match[0].length === text.length;
    const host = goesOn ? null : hostOf(match[1]!);
    if (host) hosts.push(host);
  }
  return hosts;
}

/** All string literals and parts of templates in a node. `open`: an expression follows. */
export function textsOf(node: AnyNode, into: { text: string; open: boolean }[] = []): { text: string; open: boolean }[] {
  if (node.type === 'Literal' && typeof node.value === 'string') into.push({ text: node.value, open: false });
  if (node.type === 'TemplateLiteral') into.push(...quasisOf(node));
  for (const child of childrenOf(node)) textsOf(child, into);
  return into;
}

/** All texts inside a constant value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** Storage locations in an input, such as `path reports/a.txt`. */
export function storageNamesOf(state: State, input: AnyNode | undefined, env: Env | null): string[] {
  if (input?.type !== 'ObjectExpression') return [];
  const names: string[] = [];
  for (const property of input.properties) {
    const key = property.type === 'Property' ? staticKey(property) : undefined;
    if (property.type !== 'Property' || !key || !STORAGE_KEY.test(key)) continue;
    const value = evaluateOrSkip(state, property.value, env);
    if (typeof value === 'string' && value !== '') names.push(`${key} ${value.slice(0, MAX_NAME)}`);
  }
  return names;
}

export const STORAGE_CALL =
  /file|storage|folder|director|drive|bucket|blob|object|kv|memory|scratchpad|page|path|upload|download|document/i;

/** The comments at the start of the code or of its bare arrow function; null if there are none. */
export function leadingComment(source: string, program: Program, bareArrow: ArrowFunctionExpression | null): string | null {
  const before = commentBefore(source, 0, program.body[0]?.start ?? source.length);
  if (before || bareArrow?.body.type !== 'BlockStatement') return before;
  const { start, end, body } = bareArrow.body;
  return commentBefore(source, start + 1, body[0]?.start ?? end - 1);
}

const URL_AUTHORITY = /\b(?:https?|wss?|ftps?|sftp):\/\/([^\s/?#"'`<>\\(){}|^,;]+)/gi;
const STORAGE_KEY = /path|prefix|key|file|folder|director|bucket|page|^name$/i;
const MAX_NAME = 200;
const MAX_HOST = 253;
const MAX_COMMENT = 500;

function hostOf(authority: string): string | null {
  try {
    const { hostname } = new URL(`http://${authority}`);
    return hostname.length > 0 && hostname.length <= MAX_HOST ? hostname : null;
  } catch {
    return null;
  }
}

function quasisOf(node: TemplateLiteral): { text: string; open: boolean }[] {
  return node.quasis.map(({ value, tail }) => ({ text: value.cooked ?? '', open: !tail }));
}

function evaluateOrSkip(state: State, node: AnyNode, env: Env | null): unknown {
  try {
    const value = evaluate(state, node, env);
    return value.kind === 'constant' ? value.value : undefined;
  } catch (error) {
    if (error instanceof TooDetailed) return undefined;
    throw error;
  }
}

function commentBefore(source: string, from: number, to: number): string | null {
  const comments = source.slice(from, to).match(/\/\*[\s\S]*?\*\/|\/\/[^\n\r\u2028\u2029]*/g) ?? [];
  const lines = comments.flatMap((comment) => comment.replace(/^\/\*+|\*+\/$|^\/+/g, '').split(/\r?\n/));
  const text = lines.map((line) => line.replace(/^\s*\*?\s*/, '').trim()).filter(Boolean);
  return text.length > 0 ? text.join('\n').slice(0, MAX_COMMENT) : null;
}
