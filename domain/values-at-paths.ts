/**
 * Reads the values at dotted paths of an input, in which `*` stands for any array item or key; each path is walked once however often it is
 * asked for. Undefined from the path on at which all of them together come upon more values than one call should wait for.
 */
export function valuesAtPaths(input: unknown): (path: string) => unknown[] | undefined {
  const known = new Map<string, unknown[] | undefined>();
  const visits = { left: MAX_VISITS };
  return (path) => {
    if (!known.has(path)) known.set(path, valuesAt(input, path.split('.'), visits));
    return known.get(path);
  };
}

/** More than there are in any one input. */
const MAX_VISITS = 1_000_000;

function valuesAt(input: unknown, parts: string[], visits: { left: number }): unknown[] | undefined {
  let found = [input];
  for (const part of parts) {
    const below: unknown[] = [];
    for (const item of found) {
      if (item === null || typeof item !== 'object') continue;
      if (part !== '*') {
        if (Object.hasOwn(item, part)) below.push((item as Record<string, unknown>)[part]);
      } else for (const value of Object.values(item)) below.push(value);
    }
    visits.left -= found.length + below.length;
    if (visits.left < 0) return undefined;
    found = below;
  }
  return found;
}
