/** A screen with the parameters of the requested path. */
export interface FoundScreen<Item> {
  screen: Item;
  params: Record<string, string>;
}

/**
 * Returns a function that finds the screen of a path below /app. If several screens match, the
 * screen with the fewest parameters wins.
 */
export function screenFinder<Item extends { path: string }>(screens: readonly Item[]): (path: string) => FoundScreen<Item> | undefined {
  const patterns = screens
    .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
    .map((screen) => ({ screen, pattern: patternOf(screen.path) }));
  return (path) => {
    for (const { screen, pattern } of patterns) {
      const match = pattern.exec(path);
      const params = match && decode(match.groups ?? {});
      if (params) return { screen, params };
    }
    return undefined;
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

/** Undefined if a parameter is not percent-encoded UTF-8. */
function decode(groups: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
