/** Characters of one text that are shown. */
export const MAX_TEXT = 4000;

/** Text with control, bidirectional and zero-width characters written as escapes, and cut when long. */
export function visibleText(text: string): string {
  return escapeHidden(cutText(text, text.length, MAX_TEXT));
}

/** Text with every character that the eye can't see, or that moves others about, written as an escape; doing it twice changes nothing. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Text without these characters. */
export function withoutHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, '');
}

/** Controls but tab and line feed, formats (zero-width, bidirectional, tags), lone surrogates, line and paragraph separators, fillers, variation selectors. */
const HIDDEN_CHARACTERS =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;

/** The beginning of a text, and how much of its whole `length` is missing. */
export function cutText(text: string, length: number, max: number): string {
  const shown = text.slice(0, max);
  return shown.length < length ? `${shown}… [${length - shown.length} more characters]` : shown;
}
