import { isSecretName } from './is-secret-name.ts';

/** What stands where a value was hidden. */
export const REDACTED = '[redacted]';

/**
 * A text with the values of secret-named parameters (of URLs, forms, headers, JSON, settings, XML) and card numbers hidden, the
 * rest as it was. Reads each character a bounded number of times.
 */
export function redactText(text: string): string {
  return hideCards(hideParameters(text));
}

/** Each reads a text once, however long it is: no two parts of a pattern may compete for the same characters from many starts. */
const CREDENTIALS = [
  /\b(?:svc|mcp|mcpo|eut|cst)_[0-9A-Za-z]{20,}/,
  /\bapr_link_v1_[0-9A-Za-z]{20,}/,
  /\bwhsec_[0-9A-Za-z+/=]{16,}/,
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_0-9A-Za-z]{16,}/,
  /\bgh[pousr]_[0-9A-Za-z]{20,}|\bgithub_pat_[0-9A-Za-z_]{20,}/,
  /\bxox[abeoprs]-[0-9A-Za-z-]{10,}/,
  /\bA(?:KIA|SIA)[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{30,}/,
  /(?<![\w-])(?=[\w-]+\.[\w-]{8,}\.)[\w-]*eyJ[\w-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:bearer|basic)\s+[0-9A-Za-z._~+/=-]{8,}/i,
  /:\/\/[^\s/:@]*:[^\s/@]+@/,
];

/** Whether a text holds something that looks like a credential, by its own form. */
export function holdsCredential(text: string): boolean {
  return CREDENTIALS.some((pattern) => pattern.test(text));
}

const SEPARATOR = /[=:>]|%3[ad]/gi;

function hideParameters(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index < from) continue;
    const name = separator === '>' ? elementBefore(text, index) : nameBefore(text, index);
    if (!name?.candidates.some(isSecretName)) continue;
    const [start, end] = valueAfter(text, index + separator.length, separator, name.opensLine);
    if (start === end) continue;
    shown += text.slice(from, start) + REDACTED;
    from = end;
  }
  return shown + text.slice(from);
}

interface Name {
  candidates: string[];
  /** The line is a setting or a header, so its value may hold spaces. */
  opensLine: boolean;
}

/** Names are looked for this far back. */
const NAME_WINDOW = 96;
const NAME_CHARACTER = /[\p{L}\p{M}\p{N}\p{Cf}_.%$[\]-]/u;

/** The word before a separator, and the two words before it (`api key: …`). */
function nameBefore(text: string, at: number): Name {
  const window = text.slice(Math.max(0, at - NAME_WINDOW), at);
  const end = skipBack(window, window.length, /["'`\\\s]/);
  const start = skipBack(window, end, NAME_CHARACTER);
  const first = window[start - 1] === ' ' ? skipBack(window, start - 1, NAME_CHARACTER) : start;
  const before = window.slice(0, first);
  const lineStart = before.lastIndexOf('\n') + 1;
  return {
    candidates: [decode(window.slice(start, end)), ...(first < start ? [window.slice(first, end)] : [])],
    opensLine: (lineStart > 0 || at <= NAME_WINDOW) && /^[\s"'-]*$/.test(before.slice(lineStart)),
  };
}

function elementBefore(text: string, at: number): Name | undefined {
  const window = text.slice(Math.max(0, at - NAME_WINDOW), at);
  const element = /^[\w:.-]+/.exec(window.slice(window.lastIndexOf('<') + 1))?.[0];
  return window.includes('<') && element ? { candidates: [element], opensLine: false } : undefined;
}

function skipBack(text: string, from: number, characters: RegExp): number {
  let at = from;
  while (at > 0 && characters.test(text[at - 1]!)) at -= 1;
  return at;
}

const ESCAPED_DELIMITERS = ['%23', '%26', '%2f', '%3a', '%3d', '%3f'];

/** A name without escapes; of a whole URL in escapes, the name of its last parameter. */
function decode(name: string): string {
  if (!name.includes('%')) return name;
  const lower = name.toLowerCase();
  const last = Math.max(...ESCAPED_DELIMITERS.map((delimiter) => lower.lastIndexOf(delimiter)));
  const own = last === -1 ? name : name.slice(last + 3);
  return own.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Where the value after a separator starts and ends. */
function valueAfter(text: string, after: number, separator: string, opensLine: boolean): [number, number] {
  if (separator === '>') return [after, after + matchAt(/[^<]*/y, text, after).length];
  const gap = separator === ':' ? /[ \t=>:]*(?:\r?\n[ \t]*)?/y : /[ \t=>]*/y;
  const start = after + matchAt(gap, text, after).length;
  const quote = matchAt(/\\*["'`]/y, text, start);
  if (quote !== '') return [start + quote.length, endOfQuoted(text, start + quote.length, quote)];
  const value = separator === ':' && opensLine ? /[^\r\n]*/y : /(?:(?!%26)[^&;\s"'`<>#])*/y;
  return [start, start + matchAt(value, text, start).length];
}

function endOfQuoted(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end === -1 ? text.length : end;
  }
  const inside = { '"': /(?:[^"\\]|\\.)*/sy, "'": /(?:[^'\\]|\\.)*/sy, '`': /(?:[^`\\]|\\.)*/sy }[quote]!;
  return start + matchAt(inside, text, start).length;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Runs of digits; hashes and UUIDs, which may hold such runs by chance, are met first and passed over. */
const IDENTIFIERS_AND_DIGITS =
  /(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})(?![0-9a-z])|\d(?:[ \u00a0-]{0,2}\d){12,}/gi;
const DIGITS_ONLY = /^[\d \u00a0-]+$/;
const CARD_LENGTHS = [19, 18, 17, 16, 15, 14, 13];
const PHONE_MAX_DIGITS = 15;

function hideCards(text: string): string {
  return text.replace(IDENTIFIERS_AND_DIGITS, (run, at: number) => {
    const isPhone = text[at - 1] === '+' && run.replace(/\D/g, '').length <= PHONE_MAX_DIGITS;
    return isPhone || !DIGITS_ONLY.test(run) ? run : hideCardsIn(run);
  });
}

/** Looks at each group of digits in a run, so that a number standing before a card does not hide the card from us. */
function hideCardsIn(run: string): string {
  const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
  const digits = places.map((place) => Number(run[place]));
  const opensGroup = (digit: number) => digit === 0 || digit === places.length || places[digit] !== places[digit - 1]! + 1;
  const endsCard = (start: number, end: number) => end <= digits.length && opensGroup(end) && isCard(digits, start, end);
  let shown = '';
  let from = 0;
  for (let digit = 0; digit < digits.length; digit += 1) {
    if (!opensGroup(digit)) continue;
    const length = CARD_LENGTHS.find((count) => endsCard(digit, digit + count));
    if (length === undefined) continue;
    shown += run.slice(from, places[digit]) + REDACTED;
    digit += length - 1;
    from = places[digit]! + 1;
  }
  return shown + run.slice(from);
}

/** The Luhn check, for numbers that start as those of payment cards do (ISO/IEC 7812); times and counters start otherwise. */
function isCard(digits: number[], start: number, end: number): boolean {
  const issuer = digits[start]! * 10 + digits[start + 1]!;
  if (issuer < 22 || issuer > 69 || issuer === 28 || issuer === 29) return false;
  let sum = 0;
  for (let index = end - 1; index >= start; index -= 1) {
    const value = (end - 1 - index) % 2 === 0 ? digits[index]! : digits[index]! * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
