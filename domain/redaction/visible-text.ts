/** In characters. */
export const MAX_TEXT = 4000;

/**
 * Returns a text with control, bidirectional and zero-width characters escaped, cut to MAX_TEXT.
 */
export function visibleText(text: string): string {
  return escapeHidden(cutText(text, text.length, MAX_TEXT));
}

/** Returns a text with hidden characters escaped, such as `\u{200b}`. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * Controls except tab and line feed, formats (zero-width, bidirectional, tags), lone surrogates,
 * line and paragraph separators, fillers, variation selectors.
 */
const HIDDEN_CHARACTERS =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;

/**
 * Returns the first `max` characters, and the number of missing ones. `length` is the full length:
 * `text` can be cut already.
 */
export function cutText(text: string, length: number, max: number): string {
  const shown = text.slice(0, max);
  return shown.length < length ? `${shown}… [${length - shown.length} more characters]` : shown;
}
