/** Whether a value of unknown shape is an object with names: no list, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The list that a value of unknown shape is, or an empty one. */
export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text that a value of unknown shape is, unless it says nothing. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
