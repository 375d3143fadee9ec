import type { Issue } from './bound-error.ts';
import { ERROR_LIMITS } from './limits.ts';

/**
 * Finds the integers of a JSON text that parsing changes (contract decisions 7, Numbers in bodies).
 * An integer is unchanged if its double is equal, or if JSON writes the double as the same number.
 * For example, 1e23 lies between two doubles, but JSON writes the nearest double as 1e23.
 * `json` must be valid JSON, and `value` must be its parsed value. Each issue has a dotted path in
 * `value`. Returns at most one issue more than an error shows. Does not report numbers beyond
 * 1.8e308, which parse as Infinity. Does not report the value of a key that is repeated later in
 * its object.
 */
export function findInexactIntegers(json: string, value: unknown): Issue[] {
  const inexact = inexactTokens(json);
  return inexact.length === 0 ? [] : issuesIn(JSON.parse(marked(json, inexact)), value);
}

interface Token {
  index: number;
  text: string;
}

/**
 * The start of a string, or a number of more than fifteen characters. Shorter numbers are skipped,
 * because JSON writes their double as the same number (IEEE 754).
 */
const STRING_OR_LONG_NUMBER = /"|(?<![\d.])\d[\d.]{15,}/g;
const REST_OF_NUMBER = /[eE][+-]?\d+/y;

function inexactTokens(json: string): Token[] {
  const inexact: Token[] = [];
  const next = new RegExp(STRING_OR_LONG_NUMBER);
  for (let found = next.exec(json); found && inexact.length <= ERROR_LIMITS.maxIssues; found = next.exec(json)) {
    const { index } = found;
    if (found[0] === '"') {
      next.lastIndex = endOfString(json, index);
      continue;
    }
    REST_OF_NUMBER.lastIndex = next.lastIndex;
    const text = found[0] + (REST_OF_NUMBER.exec(json)?.[0] ?? '');
    if (isInexact(text)) inexact.push({ index, text });
  }
  return inexact;
}

/**
 * Returns the index after the closing quotation mark of a string. A quotation mark after an odd
 * number of backslashes is escaped. `indexOf` is fast for long strings.
 */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return json.length;
}

/** Whether a text is an unsigned integer that parsing changes. False for numbers beyond 1.8e308. */
function isInexact(text: string): boolean {
  const read = Number(text);
  if (!Number.isFinite(read)) return false;
  if (String(read) === text || String(read) === text.replace(/\.0+$/, '')) return false;
  const integer = integerOf(text);
  if (integer === undefined) return false;
  return BigInt(read) !== integer && integerOf(String(read)) !== integer;
}

/** The maximum number of digits of a double before its point (1.8e308). */
const MAX_DIGITS = 309;
const DIGITS = /^\d+$/;

/**
 * Returns the value of an unsigned decimal number if it is an integer. Returns undefined for a
 * fraction, and for a number with more than MAX_DIGITS digits before the point.
 */
function integerOf(text: string): bigint | undefined {
  if (text.length <= MAX_DIGITS && DIGITS.test(text)) return BigInt(text);
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  const digits = all.slice(start, end);
  const power = Number(exponent) - fraction.length + all.length - end;
  if (digits === '') return 0n;
  return power < 0 || digits.length + power > MAX_DIGITS ? undefined : BigInt(digits) * 10n ** BigInt(power);
}

/** A number that parses as Infinity. */
const MARK = '1e999';

/**
 * Returns the text with MARK instead of each token. Parsing this text puts Infinity at the path of
 * each token, so the native parser finds the paths.
 */
function marked(json: string, inexact: readonly Token[]): string {
  let text = '';
  let from = 0;
  for (const { index, text: token } of inexact) {
    text += json.slice(from, index) + MARK;
    from = index + token.length;
  }
  return text + json.slice(from);
}

/**
 * A list or an object, with its path. `mark` is its value in the marked text; `read` is its value
 * in the original text.
 */
interface Holder {
  path: string;
  mark: Record<string, unknown>;
  read: Record<string, unknown>;
}

/**
 * Returns an issue for each marked number. Iterates level by level, so that a deep body cannot
 * exhaust the stack.
 */
function issuesIn(root: unknown, value: unknown): Issue[] {
  const issues: Issue[] = [];
  const whole = { '': root };
  for (let level: Holder[] = [{ path: '', mark: whole, read: { '': value } }]; level.length > 0; ) {
    const next: Holder[] = [];
    for (const { path, mark, read } of level) {
      for (const key in mark) {
        const inner: unknown = mark[key];
        // If the original text has a number beyond 1.8e308 here, `read` has an infinite value too.
        const isMarked = isInfinite(inner) && !isInfinite(read[key]);
        if (!isMarked && (typeof inner !== 'object' || inner === null)) continue;
        const innerPath = path === '' ? key : `${path}.${key}`;
        if (isMarked) issues.push({ path: innerPath, message: messageOf(read[key]) });
        else next.push({ path: innerPath, mark: inner as Holder['mark'], read: read[key] as Holder['read'] });
      }
    }
    level = next;
  }
  return issues;
}

function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

function messageOf(read: unknown): string {
  return `is an integer that cannot be read exactly: it would become ${read}. Send it as a text`;
}
