/** Encodes the person of a personal link for a form field, where browsers change line ends. */
export function writePersonField(ref: string): string {
  return encodeURIComponent(ref);
}

/** Decodes the field; undefined if it is malformed. */
export function readPersonField(field: string): string | undefined {
  try {
    return decodeURIComponent(field);
  } catch {
    return undefined;
  }
}
