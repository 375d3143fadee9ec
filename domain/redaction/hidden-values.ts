/**
 * Returns the texts and numbers at and below these dotted paths. They must be hidden everywhere
 * else too.
 */
export function hiddenValues(input: Record<string, unknown>, hiddenPaths: readonly string[]): string[] {
  if (hiddenPaths.length === 0) return [];
  const found: string[] = [];
  collect(input, '', false, new Set(hiddenPaths), found);
  return found;
}

function collect(value: unknown, path: string, isHidden: boolean, hiddenPaths: ReadonlySet<string>, found: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') {
    if (isHidden) found.push(String(value));
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      const inside = path === '' ? key : `${path}.${key}`;
      collect(item, inside, isHidden || hiddenPaths.has(inside), hiddenPaths, found);
    }
  }
}
