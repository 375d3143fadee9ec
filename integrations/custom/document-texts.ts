/**
 * Makes a document storable as JSON: replaces NUL, lone surrogates and numbers that JSON does not
 * have. Returns the document itself if nothing changes.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(storable);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(([key, inner]) => [clean(key), storable(inner)] as const);
  return cleaned.some(([key, inner], index) => key !== entries[index]![0] || inner !== entries[index]![1])
    ? Object.fromEntries(cleaned)
    : value;
}

function clean(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}
