import type { ArrowFunctionExpression, ExpressionStatement, Program } from 'acorn';
import { getLineInfo } from 'acorn';
import { parseProgram } from './parse-program.ts';
import { type StripProblem, stripTypes } from './strip-types.ts';
import { unmatchedBrace } from './unmatched-brace.ts';

/** A position in the caller's own source. Line and column count from 1. */
export interface SourcePosition {
  line: number;
  column: number;
}

/** `tooDeep`: nested too deeply, but perhaps valid. */
type SyntaxProblem = (SourcePosition & { message: string; tooDeep: false }) | { tooDeep: true };

export interface PreparedCode {
  /** Body of an async function that returns the caller's value. */
  code: string;
  /** The caller's text without fences and types, at the same positions. */
  text: string;
  /** The tree of `text`, null when it does not parse. */
  program: Program | null;
  /** Set if an arrow function makes up the whole source. */
  bareArrow: ArrowFunctionExpression | null;
  syntaxError: SyntaxProblem | null;
  /** Inserted text shifts this line of `code` by `columns`. Line 0: no line. */
  shift: { line: number; columns: number };
}

/** What the execution of a program needs. */
export interface RunnableCode extends Pick<PreparedCode, 'code' | 'syntaxError' | 'shift'> {
  lineLengths: number[];
  /** The positions of `import(…)`, in order. */
  imports: SourcePosition[];
}

/**
 * Turns a caller's source into code that runs. Removes Markdown fences and types, and calls a bare
 * arrow function. Every part stays on its line.
 * `blank` may take unbounded time, so call this in a thread that can be ended.
 */
export function prepareCode(source: string, argument: 'svc' | 'inputs' = 'svc', blank = stripTypes): PreparedCode {
  const bare = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source;
  const { block, isOneOfSeveral } = blockIn(bare);
  const first = readText(blankFences(bare), blank);
  const alone = 'error' in first && block !== null && !first.error.tooDeep ? readText(block, blank) : first;
  const { text, ...read } = 'error' in alone ? first : alone;
  if ('error' in read) {
    const syntaxError = toSyntaxError(text, read.error, isOneOfSeveral);
    return { code: text, text, program: null, bareArrow: null, syntaxError, shift: NO_SHIFT };
  }
  const { program } = read;
  const statement = bareStatementOf(program);
  const compiled = statement ? callArrow(text, statement, argument) : { code: text, shift: NO_SHIFT };
  return { ...compiled, text, program, bareArrow: statement?.expression ?? null, syntaxError: null };
}

const NO_SHIFT = { line: 0, columns: 0 };

interface ParseFailure {
  message: string;
  pos: number;
  tooDeep: boolean;
}

const SEVERAL_BLOCKS = 'There are several fenced blocks of code; send the one that is to run';

type ReadText = { text: string } & ({ program: Program } | { error: ParseFailure });

function readText(plain: string, blank: typeof stripTypes): ReadText {
  const read = parseBody(plain);
  if ('program' in read || read.error.tooDeep) return { text: plain, ...read };
  const stripped = blank(plain);
  if (stripped.text === null) return { text: plain, error: furtherOf(plain, read.error, stripped.problem) };
  const reread = parseBody(stripped.text);
  return { text: 'program' in reread ? stripped.text : plain, ...reread };
}

/** The JavaScript parser fails at the first type, the TypeScript parser at the real error. */
function furtherOf(text: string, asJavaScript: ParseFailure, asTypeScript: StripProblem | null): ParseFailure {
  if (!asTypeScript) return { message: '', pos: 0, tooDeep: true };
  const { message, offset, isUnsupported } = asTypeScript;
  if (isUnsupported) return { message, pos: offset, tooDeep: false };
  if (offset <= asJavaScript.pos) return asJavaScript;
  const brace = unmatchedBrace(text, offset);
  return brace === undefined ? { message, pos: offset, tooDeep: false } : { message: 'Unexpected token', pos: brace, tooDeep: false };
}

/** Converts a position in the prepared `code` to one in the caller's source. */
export function callerPosition(prepared: Pick<PreparedCode, 'shift'>, position: SourcePosition): SourcePosition {
  if (position.line !== prepared.shift.line) return position;
  return { line: position.line, column: Math.max(1, position.column - prepared.shift.columns) };
}

const OPENING_FENCE = /^\s*(`{3,}|~{3,})[^\r\n`]*(?=\r?\n)/;
const CLOSING_FENCE = { '`': /\n[ \t]*`{3,}\s*$/, '~': /\n[ \t]*~{3,}\s*$/ };

function blankFences(bare: string): string {
  const fence = OPENING_FENCE.exec(bare)?.[1];
  if (!fence) return bare;
  return bare.replace(OPENING_FENCE, spaces).replace(CLOSING_FENCE[fence[0] as '`' | '~'], spaces);
}

const FENCE_LINE = /^[ \t]*(?:`{3,}|~{3,})[^\n`]*$/gm;

function blockIn(text: string): { block: string | null; isOneOfSeveral: boolean } {
  const [opening, closing, ...others] = [...text.matchAll(FENCE_LINE)];
  if (!opening || !closing || others.length > 0) return { block: null, isOneOfSeveral: others.length > 1 };
  const from = opening.index + opening[0].length;
  return {
    block: spaces(text.slice(0, from)) + text.slice(from, closing.index) + spaces(text.slice(closing.index)),
    isOneOfSeveral: false,
  };
}

function spaces(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

function parseBody(text: string): { program: Program } | { error: ParseFailure } {
  try {
    return { program: parseProgram(text) };
  } catch (error) {
    const { message, pos = 0 } = error as Error & { pos?: number };
    return { error: { message: message.replace(/ \(\d+:\d+\)$/, ''), pos, tooDeep: isTooDeep(error) } };
  }
}

function isTooDeep(error: unknown): boolean {
  return !(error instanceof SyntaxError) || error.message.startsWith('Not enough stack space');
}

function toSyntaxError(text: string, { message, pos, tooDeep }: ParseFailure, isOneOfSeveral: boolean): SyntaxProblem {
  if (tooDeep) return { tooDeep };
  const offset = Math.min(pos, text.length);
  const { line, column } = getLineInfo(text, offset);
  return { message: isOneOfSeveral ? SEVERAL_BLOCKS : wordsAt(text, offset, message), tooDeep, line, column: column + 1 };
}

/** The message of a syntax error, with the token at its offset. */
function wordsAt(text: string, offset: number, message: string): string {
  REST.lastIndex = offset;
  const [token] = REST.exec(text) ?? [];
  if (token === undefined) return 'Unexpected end of the code';
  if (message !== 'Unexpected token') return message;
  return /["'`]/.test(token) ? 'Unexpected string' : `${message} '${token.slice(0, 40)}'`;
}

const REST = /[\w$]+|\S/gu;

type BareStatement = ExpressionStatement & { expression: ArrowFunctionExpression };

function bareStatementOf(program: Program): BareStatement | null {
  const [only, ...others] = program.body.filter((node) => node.type !== 'EmptyStatement' && !('directive' in node && node.directive));
  const isBare = others.length === 0 && only?.type === 'ExpressionStatement' && only.expression.type === 'ArrowFunctionExpression';
  return isBare ? (only as BareStatement) : null;
}

// Parentheses do not change the meaning of a single expression.
function callArrow(text: string, { start, end }: { start: number; end: number }, argument: string): Pick<PreparedCode, 'code' | 'shift'> {
  const opening = 'return (';
  const expressionEnd = text[end - 1] === ';' ? end - 1 : end;
  const code = `${text.slice(0, start)}${opening}${text.slice(start, expressionEnd)})(${argument})${text.slice(expressionEnd)}`;
  return { code, shift: { line: getLineInfo(text, start).line, columns: opening.length } };
}
