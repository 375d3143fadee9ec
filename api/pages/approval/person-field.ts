/** The person of a personal link, as the page's form carries it: browsers change line ends in fields, so it holds none. */
export function writePersonField(ref: string): string {
  return encodeURIComponent(ref);
}

/** Reads that field again; undefined where it is no such thing. */
export function readPersonField(field: string): string | undefined {
  try {
    return decodeURIComponent(field);
  } catch {
    return undefined;
  }
}
