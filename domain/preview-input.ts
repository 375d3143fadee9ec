/** What stands where a value was hidden. */
export const REDACTED = '[redacted]';

const MAX_TEXT = 4000;
const MAX_ITEMS = 200;
const MAX_DEPTH = 12;

const SECRET_KEY =
  /pass(word|wd|phrase|code)?$|^pwd$|secret|token|authorization|^auth$|api[-_ ]?key|apikey|access[-_]?key|cookie|private[-_ ]?key|credential|card[-_ ]?(number|no)|^cvv|^cvc|^ssn$|^pin$|signature|bearer/i;

/** Each reads a text once, however long it is: no two parts of a pattern may compete for the same characters from many starts. */
const SECRET_VALUES = [
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

export interface Preview {
  preview: Record<string, unknown>;
  /** Dotted paths of what a reviewer does not see. */
  redactedPaths: string[];
}

/**
 * What a reviewer sees of an input: secrets hidden, hidden characters made visible, long values cut and saying so
 * (design: gates and runs, preview). Built from the very object that is hashed. `hiddenPaths` are hidden whatever they hold.
 */
export function previewInput(input: Record<string, unknown>, hiddenPaths: readonly string[] = []): Preview {
  const redactedPaths: string[] = [];

  const hide = (path: string) => {
    redactedPaths.push(path);
    return REDACTED;
  };

  const show = (value: unknown, path: string, key: string, depth: number): unknown => {
    if (hiddenPaths.includes(path)) return hide(path);
    if (SECRET_KEY.test(key) && value !== null && value !== '') return hide(path);
    if (typeof value === 'string') return SECRET_VALUES.some((pattern) => pattern.test(value)) ? hide(path) : visibleText(value);
    if (value === null || typeof value !== 'object') return value;
    if (depth >= MAX_DEPTH) return '[deeper values are not shown]';
    return Array.isArray(value) ? showList(value, path, depth) : showFields(value as Record<string, unknown>, path, depth);
  };

  const showList = (items: unknown[], path: string, depth: number) => {
    const shown = items.slice(0, MAX_ITEMS).map((item, index) => show(item, join(path, String(index)), '', depth + 1));
    return items.length > MAX_ITEMS ? [...shown, `[${items.length - MAX_ITEMS} more items]`] : shown;
  };

  const showFields = (fields: Record<string, unknown>, path: string, depth: number) => {
    const entries = Object.entries(fields);
    const shown = entries.slice(0, MAX_ITEMS).map(([key, item]): [string, unknown] => {
      const secret = SECRET_VALUES.some((pattern) => pattern.test(key));
      if (secret) return [hide(join(path, REDACTED)), show(item, join(path, REDACTED), '', depth + 1)];
      return [visibleText(key), show(item, join(path, key), key, depth + 1)];
    });
    if (entries.length > MAX_ITEMS) shown.push(['[more]', `${entries.length - MAX_ITEMS} more fields`]);
    return Object.fromEntries(shown);
  };

  return { preview: showFields(input, '', 0), redactedPaths };
}

/** Text with control, bidirectional and zero-width characters written as escapes, and cut when long. */
export function visibleText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… [${text.length - MAX_TEXT} more characters]` : text;
  return escapeHidden(cut);
}

/** Text with every character that the eye can't see, or that moves others about, written as an escape; doing it twice changes nothing. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Controls but tab and line feed, formats (zero-width, bidirectional, tags), lone surrogates, line and paragraph separators, fillers, variation selectors. */
const HIDDEN_CHARACTERS =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
