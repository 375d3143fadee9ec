/**
 * Whether lists and objects are nested deeper than `levels`. Does not recurse, because a hostile
 * value could exhaust the stack.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const below: Record<PropertyKey, unknown>[] = [];
    for (const object of level) {
      if (Array.isArray(object)) {
        for (const item of object) if (isObject(item)) below.push(item);
      } else for (const key in object) if (isObject(object[key])) below.push(object[key]);
    }
    level = below;
  }
  return false;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
