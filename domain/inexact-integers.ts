import type { Issue } from './bound-error.ts';
import { ERROR_LIMITS } from './limits.ts';

/**
 * Finds the integers in a JSON text that parsing makes inexact (contract decisions 7, Numbers in
 * bodies). `value` must be the parsed `json`. Numbers beyond 1.8e308 and values of repeated keys
 * are not found.
 */
export function findInexactIntegers(json: string, value: unknown): Issue[] {
  const inexact = inexactTokens(json);
  return inexact.length === 0 ? [] : issuesIn(JSON.parse(marked(json, inexact)), value);
}

interface Token {
  index: number;
  text: string;
}

/** Parsing does not change shorter numbers: a double keeps 15 decimal digits (IEEE 754). */
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

/** Returns the index after the closing quote. `indexOf` is fast for long strings. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return json.length;
}

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

/** Undefined for a fraction, and for more than MAX_DIGITS digits before the point. */
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

/** Replaces the tokens by `MARK`, so that the native parser finds their paths. */
function marked(json: string, inexact: readonly Token[]): string {
  let text = '';
  let from = 0;
  for (const { index, text: token } of inexact) {
    text += json.slice(from, index) + MARK;
    from = index + token.length;
  }
  return text + json.slice(from);
}

/** `mark`: value in the marked text. `read`: value in the original text. */
interface Holder {
  path: string;
  mark: Record<string, unknown>;
  read: Record<string, unknown>;
}

/** Iterates level by level, so that a deep body cannot exhaust the stack. */
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
