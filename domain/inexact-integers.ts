import type { Issue } from './bound-error.ts';
import { ERROR_LIMITS } from './limits.ts';

/**
 * Finds the integers of a JSON text that parsing changes, because a double cannot represent them
 * exactly (contract decisions 7, Numbers in bodies). `value` is the parsed text; each issue has a
 * dotted path in `value`. Returns at most one issue more than an error shows.
 * The text must be valid JSON. It does not report numbers beyond 1.8e308, nor numbers of a key that
 * the same key replaces later.
 */
export function findInexactIntegers(json: string, value: unknown): Issue[] {
  const inexact = inexactTokens(json);
  return inexact.length === 0 ? [] : issuesIn(JSON.parse(marked(json, inexact)), value);
}

interface Token {
  index: number;
  text: string;
}

/** Fifteen digits are always exact (IEEE 754), so only longer numbers are examined. */
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
 * Uses the native search for quotation marks and counts the backslashes before each, since long
 * strings are common and must be fast.
 */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return json.length;
}

/** Whether an unsigned number is an integer that a double cannot represent exactly. */
function isInexact(text: string): boolean {
  const read = Number(text);
  if (String(read) === text || String(read) === text.replace(/\.0+$/, '')) return false;
  const integer = integerOf(text);
  if (integer === undefined) return false;
  return BigInt(read) !== integer && integerOf(String(read)) !== integer;
}

/** The most digits that a double has before its point (1.8e308). */
const MAX_DIGITS = 309;
const DIGITS = /^\d+$/;

/**
 * The integer value of an unsigned decimal number; undefined for a fraction and for a number out of
 * range.
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

/** A number that the text cannot contain, because it would parse as Infinity. */
const MARK = '1e999';

/**
 * Replaces each token by a mark, so that the native parser finds the paths faster than own code.
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

/** A list or an object: as parsed with marks, as parsed from the text, and its path. */
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
        const isMarked = inner === Number.POSITIVE_INFINITY || inner === Number.NEGATIVE_INFINITY;
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

function messageOf(read: unknown): string {
  return `is an integer that cannot be read exactly: it would become ${read}. Send it as a text`;
}
