import type { AmountThreshold } from '../../../../domain/policies/policy.ts';
import { NOT_JSON, readShortJsonText } from '../json-text.ts';

/** A problem is a predicate: `has a line 2 that …`. */
export type ReadLines<Value> = { ok: true; value: Value } | { ok: false; problem: string };

/** The denylist (`listed`) and allowlist (`except`) of a rule. Undefined if not set. */
export interface RuleTexts {
  listed?: string[] | undefined;
  except?: string[] | undefined;
}

/** The line of an empty list. A list that is not set has no line. */
const EMPTY = '[]';
const EXCEPT = /^not\s+/i;

/** Writes texts as lines for `readTexts`. */
export function writeTexts(texts: readonly string[]): string {
  return texts.map(lineOf).join('\n');
}

/** Reads each line as a text, and a line in double quotes as a JSON string. Skips empty lines. */
export function readTexts(lines: string): ReadLines<string[]> {
  return readEach(lines, readText);
}

/** Writes paths as lines, like texts. An empty list becomes `[]`. */
export function writePaths(paths: readonly string[] | undefined): string {
  return paths?.length === 0 ? EMPTY : writeTexts(paths ?? []);
}

/** Reads the lines of `writePaths`. Undefined if there are no lines. */
export function readPaths(lines: string): ReadLines<string[] | undefined> {
  const trimmed = lines.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  return trimmed === EMPTY ? { ok: true, value: [] } : readTexts(lines);
}

/** Writes the lists of a rule as lines. `not x` is an entry of the allowlist. */
export function writeRule({ listed, except }: RuleTexts): string {
  const lines = (texts: readonly string[] | undefined) => (texts?.length === 0 ? [EMPTY] : (texts ?? []).map(lineOf));
  return [...lines(listed), ...lines(except).map((line) => `not ${line}`)].join('\n');
}

/** Reads the lines of `writeRule`. */
export function readRule(lines: string): ReadLines<RuleTexts> {
  const read = readEach(lines, (line) => {
    const isExcept = EXCEPT.test(line);
    const rest = line.replace(EXCEPT, '');
    const text = rest === EMPTY ? undefined : readText(rest);
    return { isExcept, text };
  });
  if (!read.ok) return read;
  const textsOf = (wanted: boolean) => {
    const found = read.value.filter(({ isExcept }) => isExcept === wanted);
    return found.length === 0 ? undefined : found.flatMap(({ text }) => text ?? []);
  };
  return { ok: true, value: { listed: textsOf(false), except: textsOf(true) } };
}

/** Writes amounts as lines such as `amount >= 500 USD`, or else as JSON. */
export function writeAmounts(amounts: readonly AmountThreshold[] | undefined): string {
  return amounts?.length === 0 ? EMPTY : (amounts ?? []).map(amountLine).join('\n');
}

/** Reads the lines of `writeAmounts`. Undefined if there are no lines. */
export function readAmounts(lines: string): ReadLines<unknown[] | undefined> {
  const trimmed = lines.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  return trimmed === EMPTY ? { ok: true, value: [] } : readEach(lines, readAmount);
}

function amountLine(amount: AmountThreshold): string {
  const { path, gte, gt, currency, currencyPath } = amount;
  const bound = gte === undefined ? `> ${gt}` : `>= ${gte}`;
  const line = `${path} ${bound}${currency === undefined ? '' : ` ${currency}`}${currencyPath === undefined ? '' : ` at ${currencyPath}`}`;
  return isSame(amountIn(line), amount) ? line : JSON.stringify(amount);
}

function readAmount(line: string): unknown {
  const amount = line.startsWith('{') ? json(line) : amountIn(line);
  if (amount === undefined) throw new SyntaxError('is not an amount: write it as amount >= 500 USD');
  return amount;
}

const AMOUNT = /^([^\s{[]\S*?)\s*(>=|>)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:\s+(?!at\s)(\S+))?(?:\s+at\s+(\S+))?$/;

function amountIn(line: string): AmountThreshold | undefined {
  const [, path, sign, number, currency, currencyPath] = AMOUNT.exec(line) ?? [];
  if (path === undefined) return undefined;
  const bound = sign === '>=' ? { gte: Number(number) } : { gt: Number(number) };
  return { path, ...bound, ...(currency !== undefined && { currency }), ...(currencyPath !== undefined && { currencyPath }) };
}

function isSame(one: AmountThreshold | undefined, other: AmountThreshold): boolean {
  const ordered = ({ path, gte, gt, currency, currencyPath }: AmountThreshold) => JSON.stringify([path, gte, gt, currency, currencyPath]);
  return one !== undefined && ordered(one) === ordered(other);
}

function lineOf(text: string): string {
  const isPlain = text !== '' && text.trim() === text && !/[\r\n]/.test(text) && !/^["[{]/.test(text) && !EXCEPT.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function readText(line: string): string {
  if (!line.startsWith('"')) return line;
  const text = json(line);
  if (typeof text !== 'string') throw new SyntaxError('is not a text in double quotes');
  return text;
}

function json(line: string): unknown {
  const read = readShortJsonText(line);
  if (!read.ok) throw new SyntaxError(read.problem === NOT_JSON ? 'is not JSON' : read.problem);
  return read.value;
}

function readEach<Value>(lines: string, read: (line: string) => Value): ReadLines<Value[]> {
  const values: Value[] = [];
  for (const [index, line] of lines.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(read(line.trim()));
    } catch (error) {
      return { ok: false, problem: `has a line ${index + 1} that ${(error as Error).message}` };
    }
  }
  return { ok: true, value: values };
}
