/** A value in another one, and the dotted path to it. */
export interface Place {
  path: string;
  value: unknown;
}

/**
 * The first text, number or key in a value, level by level, that is looked for; a key stands at the path of what holds it. Level by level,
 * because what comes from a sandbox may be deep enough to exhaust the stack.
 */
export function findPlace(root: unknown, isMeant: (value: unknown) => boolean): Place | undefined {
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
