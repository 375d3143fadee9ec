/** A value within another value, and the dotted path to it. */
export interface Place {
  path: string;
  value: unknown;
}

/**
 * Returns the first match, breadth first; a key has the path of its object. Does not recurse,
 * because a value from a sandbox can exhaust the stack.
 */
export function findPlace(root: unknown, isMeant: (value: unknown) => boolean): Place | undefined {
  if (!holds(root, isMeant)) return undefined;
  for (let level: Place[] = [{ path: '', value: root }]; level.length > 0; ) {
    const next: Place[] = [];
    for (const place of level) {
      if (isMeant(place.value)) return place;
      if (typeof place.value !== 'object' || place.value === null) continue;
      for (const [key, value] of Object.entries(place.value)) {
        if (isMeant(key)) return { path: place.path, value: key };
        next.push({ path: place.path === '' ? key : `${place.path}.${key}`, value });
      }
    }
    level = next;
  }
  return undefined;
}

/** Whether there is a match. Does not build paths, because that is slow and seldom needed. */
function holds(root: unknown, isMeant: (value: unknown) => boolean): boolean {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (isMeant(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const item of value) left.push(item);
    else
      for (const key of Object.keys(value)) {
        if (isMeant(key)) return true;
        left.push((value as Record<string, unknown>)[key]);
      }
  }
  return false;
}
