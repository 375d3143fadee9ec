import type { AmountThreshold } from '../../../../domain/policies/policy.ts';
import { NOT_JSON, readShortJsonText } from '../json-text.ts';

/** What lines of a text area say, or what is wrong with them. */
export type ReadLines<Value> = { ok: true; value: Value } | { ok: false; problem: string };

/** The entries of a rule's denylist and allowlist. Absent: there is no such rule. */
export interface RuleTexts {
  listed?: string[] | undefined;
  except?: string[] | undefined;
}

/** An empty list, which is not the same as no list. */
const EMPTY = '[]';
const EXCEPT = /^not\s+/i;

/** Texts as lines that `readTexts` reads as the same texts. */
export function writeTexts(texts: readonly string[]): string {
  return texts.map(lineOf).join('\n');
}

/** Each line is a text. One in double quotes is JSON, for texts that no line can hold. */
export function readTexts(lines: string): ReadLines<string[]> {
  return readEach(lines, readText);
}

/** Paths: like texts, and `[]` is an empty list. */
export function writePaths(paths: readonly string[] | undefined): string {
  return paths?.length === 0 ? EMPTY : writeTexts(paths ?? []);
}

export function readPaths(lines: string): ReadLines<string[] | undefined> {
  const trimmed = lines.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  return trimmed === EMPTY ? { ok: true, value: [] } : readTexts(lines);
}

/** The lists of a rule as lines: `not x` is an exception. */
export function writeRule({ listed, except }: RuleTexts): string {
  const lines = (texts: readonly string[] | undefined) => (texts?.length === 0 ? [EMPTY] : (texts ?? []).map(lineOf));
  return [...lines(listed), ...lines(except).map((line) => `not ${line}`)].join('\n');
}

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

/** Amounts as lines such as `amount >= 500 USD`; those that do not fit in one are JSON. */
export function writeAmounts(amounts: readonly AmountThreshold[] | undefined): string {
  return amounts?.length === 0 ? EMPTY : (amounts ?? []).map(amountLine).join('\n');
}

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
  if (amount === undefined) throw new SyntaxError('is no amount: write it as amount >= 500 USD');
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
  if (typeof text !== 'string') throw new SyntaxError('is no text in double quotes');
  return text;
}

function json(line: string): unknown {
  const read = readShortJsonText(line);
  if (!read.ok) throw new SyntaxError(read.problem === NOT_JSON ? 'is no JSON' : read.problem);
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
