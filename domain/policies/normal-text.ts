/**
 * Returns the form that rules compare: NFKC in lower case, without invisible characters, with a dot
 * for every kind of full stop.
 */
export function normalText(text: string): string {
  return plainText(text).toLowerCase();
}

/** Like `normalText`, but keeps the case. Tabs and line breaks stay. */
export function plainText(text: string): string {
  if (ASCII.test(text)) return text;
  const once = safeNfkc(text).replace(HIDDEN, '');
  // Normalizes again, because a removed character may have kept its neighbours from being composed.
  return safeNfkc(once).replace(HIDDEN, '').replace(FULL_STOPS, '.');
}

/**
 * Converts to NFKC in linear time. Sorting combining marks is quadratic, so only the first
 * thirty of adjacent marks are kept (Unicode TR 15, Stream-Safe Text Format).
 */
export function safeNfkc(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(MARKS, '$1').replace(GROWING, ' ').normalize('NFKC');
}

/**
 * Whether a text has only printable ASCII, tabs and line breaks. Normalization changes nothing but
 * the case of such a text.
 */
export function isAsciiText(text: string): boolean {
  return ASCII.test(text);
}

/**
 * Whether a text has invisible characters, or characters that NFKC replaces, such as full-width
 * letters.
 */
export function isDisguised(text: string): boolean {
  return !ASCII.test(text) && plainText(text) !== text.replace(MARKS, '$1').normalize('NFC');
}

/** Replaces invisible characters by blanks, because some programs treat them as separators. */
export function hiddenAsBlanks(text: string): string {
  return text.replace(HIDDEN, ' ');
}

/**
 * Returns the readings of a text, each decoded once more than the previous one. Empty if there is
 * nothing to decode.
 */
export function percentDecoded(text: string): string[] {
  const readings: string[] = [];
  for (let last = text; readings.length < MAX_DECODED; ) {
    if (!last.includes('%')) break;
    const next = last.replace(ESCAPES, decode);
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

const ASCII = /^[\t\n\r\x20-\x7e]*$/;
const HIDDEN = /(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}]/gu;
/** More than thirty marks. Half-width characters that become marks count too. */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
/** Ligatures that NFKC expands to whole phrases. */
const GROWING = /[\ufdf0-\ufdff]/g;
/** A full stop in host names that NFKC does not turn into a dot. */
const FULL_STOPS = /\u3002/g;
const MAX_DECODED = 3;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Never throws, because an exception for each invalid escape would be slow. */
function decode(escapes: string): string {
  if (escapes.length === 3 || !HIGH_ESCAPE.test(escapes)) return decodeAscii(escapes);
  return UTF_8.test(escapes) ? decodeURIComponent(escapes) : decodeAscii(escapes);
}

/** RFC 3629, section 4. */
const UTF_8 =
  /^(?:%[0-7][\da-f]|%(?:c[2-9a-f]|d[\da-f])%[89ab][\da-f]|%e0%[ab][\da-f]%[89ab][\da-f]|%ed%[89][\da-f]%[89ab][\da-f]|%e[1-9a-cef](?:%[89ab][\da-f]){2}|%f0%[9ab][\da-f](?:%[89ab][\da-f]){2}|%f[1-3](?:%[89ab][\da-f]){3}|%f4%8[\da-f](?:%[89ab][\da-f]){2})+$/i;
const HIGH_ESCAPE = /%[89a-f]/i;

function decodeAscii(escapes: string): string {
  return escapes.replace(/%[0-7][0-9a-f]/gi, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)));
}
