/**
 * Adds every text, key and number of a value to `found`: the handle of a recipient can be a number.
 */
export function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'number') found.push(String(value));
  else if (Array.isArray(value)) for (const item of value) textsIn(item, found);
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      found.push(key);
      textsIn(item, found);
    }
  }
  return found;
}
