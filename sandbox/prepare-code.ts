import type { ArrowFunctionExpression, Program } from 'acorn';
import { getLineInfo, parse } from 'acorn';
import { blankTypes } from './blank-types.ts';

/** A position in the caller's own source; both count from 1. */
export interface SourcePosition {
  line: number;
  column: number;
}

export interface SyntaxProblem extends SourcePosition {
  message: string;
  tooDeep: boolean;
}

export interface PreparedCode {
  /** The body of an async function that has `svc` in scope; answers the caller's value by `return`. */
  code: string;
  /** The caller's text without fences and types, at the same positions. */
  text: string;
  /** Syntax tree of `text`, null when it does not parse. */
  program: Program | null;
  /** The one arrow function that makes up the whole source, if it is one. */
  bareArrow: ArrowFunctionExpression | null;
  syntaxError: SyntaxProblem | null;
  /** The line of `code` whose columns lie further right than the caller's, and by how much. */
  shift: { line: number; columns: number };
}

/**
 * Turn what a caller sent into what runs: Markdown fences blanked, TypeScript types blanked when the text is not plain
 * JavaScript, one bare arrow function called with `svc` (decisions section 4), or with `inputs` in a computation. Nothing moves to
 * another line.
 */
export function prepareCode(source: string, argument: 'svc' | 'inputs' = 'svc'): PreparedCode {
  const plain = blankFences(source);
  let text = plain;
  let parsed = parseBody(plain);
  if ('error' in parsed && !isTooDeep(parsed.error)) {
    const untyped = blankTypes(plain);
    const reparsed = untyped === null ? parsed : parseBody(untyped);
    if (untyped !== null && !('error' in reparsed)) [text, parsed] = [untyped, reparsed];
  }
  if ('error' in parsed) {
    return {
      code: text,
      text,
      program: null,
      bareArrow: null,
      syntaxError: toSyntaxError(text, parsed.error),
      shift: { line: 0, columns: 0 },
    };
  }
  const arrow = bareArrowOf(parsed.program);
  const compiled = arrow ? callArrow(text, parsed.program.body[0]!, argument) : { code: text, shift: { line: 0, columns: 0 } };
  return { ...compiled, text, program: parsed.program, bareArrow: arrow, syntaxError: null };
}

/** The caller's own position for one in the prepared `code`. */
export function callerPosition(prepared: PreparedCode, position: SourcePosition): SourcePosition {
  if (position.line !== prepared.shift.line) return position;
  return { line: position.line, column: Math.max(1, position.column - prepared.shift.columns) };
}

const OPENING_FENCE = /^\s*```[\w+-]*[ \t]*(?=\r?\n)/;
const CLOSING_FENCE = /\n[ \t]*```\s*$/;

function blankFences(source: string): string {
  const bare = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source;
  if (!OPENING_FENCE.test(bare)) return bare;
  return bare.replace(OPENING_FENCE, blank).replace(CLOSING_FENCE, blank);
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

/** How the body of a program is read. */
export const PARSE_OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: false,
} as const;

function parseBody(text: string): { program: Program } | { error: unknown } {
  try {
    return { program: parse(text, PARSE_OPTIONS) };
  } catch (error) {
    return { error };
  }
}

function toSyntaxError(text: string, error: unknown): SyntaxProblem {
  const offset = (error as SyntaxError & { pos?: number }).pos ?? 0;
  const { line, column } = getLineInfo(text, Math.min(offset, text.length));
  const tooDeep = isTooDeep(error);
  const message = tooDeep ? 'The code is nested too deeply' : (error as Error).message.replace(/ \(\d+:\d+\)$/, '');
  return { message, tooDeep, line, column: column + 1 };
}

function isTooDeep(error: unknown): boolean {
  return !(error instanceof SyntaxError) || error.message.startsWith('Not enough stack space');
}

function bareArrowOf(program: Program): ArrowFunctionExpression | null {
  const [only, ...others] = program.body;
  if (others.length > 0 || only?.type !== 'ExpressionStatement') return null;
  return only.expression.type === 'ArrowFunctionExpression' ? only.expression : null;
}

// The statement has been parsed as exactly one expression, so putting it between brackets cannot change what it means.
function callArrow(text: string, { start, end }: { start: number; end: number }, argument: string): Pick<PreparedCode, 'code' | 'shift'> {
  const opening = 'return (';
  const expressionEnd = text[end - 1] === ';' ? end - 1 : end;
  const code = `${text.slice(0, start)}${opening}${text.slice(start, expressionEnd)})(${argument})${text.slice(expressionEnd)}`;
  return { code, shift: { line: getLineInfo(text, start).line, columns: opening.length } };
}
