/**
 * The value at a dotted path, such as `data.items.0.name`. `*` means every item of a list. The last
 * key may itself contain dots.
 * A leading `body` is ignored if the value has no such key.
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

/** The text, number or boolean at a path, as text. Undefined for other values and "". */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  return (typeof found === 'string' && found !== '') || typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}
