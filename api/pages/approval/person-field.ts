/** Encodes the person of a link for a form field, because browsers change line breaks in fields. */
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
