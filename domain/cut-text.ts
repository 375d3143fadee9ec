/** Marks the end of a truncated text. */
export const CUT = '…';

/** Truncates a text to at most `maxLength` UTF-16 units, without splitting a character. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
