import { plainText } from '../../../domain/policies/normal-text.ts';
import type { WorkBudget } from '../../../domain/policies/work-budget.ts';

/** Whether some servers read the method from this header. Only the letters of the name count. */
export function isOverrideHeader(name: string): boolean {
  return OVERRIDE_HEADERS.has(
    plainText(name)
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  );
}

const OVERRIDE_HEADERS = new Set(
  'xhttpmethodoverride xhttpmethod xmethodoverride xmethod xhttpoverride httpmethodoverride methodoverride xoriginalmethod xrewritemethod xrequestmethod'.split(
    ' ',
  ),
);

/** Longer than any name that overrides the method, even with characters that some servers drop. */
const NAME_MAX_LENGTH = 60;

/**
 * Whether a decoded name overrides the method: `_method` and similar names. PHP turns a dot, a
 * space or an opening bracket into `_` (php.net, Variables From External Sources).
 */
export function isOverrideName(name: string): boolean {
  if (isOrdinary(name)) return false;
  const text = plainText(name.slice(0, NAME_MAX_LENGTH)).toLowerCase().trim();
  const bracket = text.indexOf('[', 1);
  const names = [
    text.replace(/\s/g, ''),
    text.replace(/[\s[]/g, '_'),
    ...(bracket === -1 ? [] : [text.slice(0, bracket).replace(/\s/g, '')]),
  ];
  return names.some((one) => OVERRIDE_NAME.test(one.replace(/[.[-]/g, '_')));
}

function isOrdinary(name: string): boolean {
  return IS_ASCII.test(name) && !HAS_METHOD.test(name);
}

const IS_ASCII = /^[\x20-\x7e]*$/;
const HAS_METHOD = /m\s*e\s*t\s*h\s*o\s*d/i;
const OVERRIDE_NAME = /^(?:_{1,3}(?:http_?)?method|x_http_method(?:_override)?|x_method_override)$/;

/** Estimated work in nanoseconds. */
const PER_FIELD = 150;
const PER_NAME = 1000;
const PER_CHARACTER = { plain: 4, escaped: 20 };
const PER_PLACE = 2000;

/** Whether a body may override the method. Also true if the work budget is used up. */
export function bodyMayOverride(body: unknown, work: WorkBudget): boolean {
  return typeof body === 'string' ? textMayOverride(body, work) : fieldsMayOverride(body, work, new Set());
}

/** `harmless`: names that were already checked. */
function fieldsMayOverride(body: unknown, work: WorkBudget, harmless: Set<string>): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (Array.isArray(body)) return body.some((item) => fieldsMayOverride(item, work, harmless));
  for (const name in body) {
    if (!work.spend(PER_FIELD)) return true;
    if (isOrdinary(name) || harmless.has(name)) continue;
    if (!work.spend(PER_NAME) || isOverrideName(name)) return true;
    harmless.add(name);
  }
  return false;
}

const METHOD = /method/gi;
/** Matches a letter of `method` with the escape of forms or JSON. Callers rarely escape letters. */
const ESCAPED_LETTER = /(?:%|\\u00)(?:[46][4d58f]|[57]4)/i;
const ESCAPED_METHOD = new RegExp([...'method'].map(written).join(''), 'gi');

function written(letter: string): string {
  const codes = [letter, letter.toUpperCase()].map((one) => one.charCodeAt(0).toString(16));
  return `(?:${letter}|${codes.map((code) => `%${code}|\\\\u00${code}`).join('|')})`;
}

const AROUND = 60;

function textMayOverride(text: string, work: WorkBudget): boolean {
  if (!work.spend(text.length * PER_CHARACTER.plain)) return true;
  const hasEscapes = ESCAPED_LETTER.test(text);
  if (hasEscapes && !work.spend(text.length * PER_CHARACTER.escaped)) return true;
  const method = new RegExp(hasEscapes ? ESCAPED_METHOD : METHOD);
  for (let found = method.exec(text); found; found = method.exec(text)) {
    if (!work.spend(PER_PLACE)) return true;
    const before = unescaped(text.slice(Math.max(0, found.index - AROUND), found.index));
    const after = unescaped(text.slice(method.lastIndex, method.lastIndex + AROUND));
    if (namesOverride(found.index < AROUND ? `&${before}` : before, after)) return true;
  }
  return false;
}

function namesOverride(before: string, after: string): boolean {
  if (UNDERLINED.test(before) && /^(?!\w)/.test(after)) return true;
  if (HEADER_LIKE.test(before) && /^(?:[-_.]override)?(?!\w)/i.test(after)) return true;
  return MANGLED.test(before) && /^[\s+]*(?:[=["]|$)/.test(after);
}

const UNDERLINED = /(?<!\w)_{1,3}(?:http_?)?$/i;
const HEADER_LIKE = /(?<!\w)x[-_.]http[-_.]$|(?<!\w)x[-_.]$/i;
const MANGLED = /[&;"'][\s+]*[._[][._[\s+]{0,2}(?:http[._\s+]?)?$/i;

function unescaped(text: string): string {
  return text.replace(/(?:%|\\u00)([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
