/**
 * Whether a whole value fits one of many patterns in which `*` stands for any text; case does not count, nothing else is special.
 * Patterns are read once, and no place in a value is tried twice for the same part of one.
 */
export function matchGlobs(patterns: readonly string[]): (value: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase());
  const exact = new Set(lower.filter((pattern) => !pattern.includes('*')));
  const globs = lower.filter((pattern) => pattern.includes('*')).map(readGlob);
  return (value) => {
    const text = value.toLowerCase();
    return exact.has(text) || globs.some((glob) => fits(text, glob));
  };
}

interface Glob {
  head: string;
  middle: string[];
  tail: string;
}

function readGlob(pattern: string): Glob {
  const parts = pattern.split('*');
  return { head: parts[0]!, middle: parts.slice(1, -1), tail: parts.at(-1)! };
}

function fits(text: string, { head, middle, tail }: Glob): boolean {
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  // The leftmost place for each part leaves most room for the next, so no choice is ever taken back.
  const end = text.length - tail.length;
  let from = head.length;
  for (const part of middle) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
