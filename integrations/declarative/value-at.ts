/**
 * The value at a dotted path, such as `data.items.0.name`: own keys of objects, and indexes of
 * lists. `*` means every item. The rest of a path may be one key with dots, such as
 * `@odata.nextLink`. An empty path is the value itself. A leading `body` is optional if the value
 * has no such key.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  const keys = path.split('.');
  const isNamed = keys[0] === 'body' && !hasKey(value, 'body');
  return walk(value, isNamed ? keys.slice(1) : keys);
}

function walk(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (key === '*') return Array.isArray(value) ? value.map((item) => walk(item, rest)) : undefined;
  if (hasKey(value, key)) return walk(value[key], rest);
  const whole = [key, ...rest].join('.');
  return rest.length > 0 && hasKey(value, whole) ? value[whole] : undefined;
}

function hasKey(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

/** A text or a number as a text; undefined for anything else and for an empty text. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  return (typeof found === 'string' && found !== '') || typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}
