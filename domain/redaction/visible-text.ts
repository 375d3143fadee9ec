/** Maximum number of characters of one text that are shown. */
export const MAX_TEXT = 4000;

/**
 * Returns a text with control, bidirectional and zero-width characters escaped. Cuts a long text.
 */
export function visibleText(text: string): string {
  return escapeHidden(cutText(text, text.length, MAX_TEXT));
}

/**
 * Returns a text with the HIDDEN_CHARACTERS escaped, such as `\u{200b}`. Escaping the result again
 * changes nothing.
 */
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
 * Returns the first `max` characters of a text, and the number of missing characters. `length` is
 * the full length, because `text` can already be a shortened text.
 */
export function cutText(text: string, length: number, max: number): string {
  const shown = text.slice(0, max);
  return shown.length < length ? `${shown}… [${length - shown.length} more characters]` : shown;
}
