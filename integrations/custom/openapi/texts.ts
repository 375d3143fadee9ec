/** A text of at most this length, whole characters only; an ellipsis shows where it was cut. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength
    ? `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
    : text;
}

/** A text of the document in one line; undefined for anything else and for an empty text. */
export function lineOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, maxLength * 4)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line === '' ? undefined : cutText(line, maxLength);
}
