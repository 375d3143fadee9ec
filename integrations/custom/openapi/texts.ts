/** Cuts a text to at most `maxLength` characters. A cut text ends with an ellipsis. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength
    ? `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
    : text;
}

/**
 * Returns a text as one line of at most `maxLength` characters. Undefined for other values and "".
 */
export function lineOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, maxLength * 4)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line === '' ? undefined : cutText(line, maxLength);
}
