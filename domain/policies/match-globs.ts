import type { WorkBudget } from './work-budget.ts';

/** A list of patterns in which `*` matches any text. Matching is case-sensitive. */
export interface Globs {
  /** Undefined if the work budget is used up. */
  match(value: string, work: WorkBudget): boolean | undefined;
}

const PER_VALUE = 60;
const PER_GLOB = 20;
const PER_CHARACTER = 0.5;
const PER_CHARACTER_INSIDE = 2;

/** Compiles patterns. Matching never backtracks. */
export function readGlobs(patterns: readonly string[]): Globs {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const ofHost = new Set(patterns.filter((pattern) => OF_HOST.test(pattern)).map((pattern) => pattern.slice(1)));
  const globs = patterns.filter((pattern) => pattern.includes('*') && !OF_HOST.test(pattern)).map(readGlob);
  const perCharacter = globs.reduce((sum, { middle }) => sum + (middle.length > 0 ? PER_CHARACTER_INSIDE : 0), 0);
  return {
    match(value, work) {
      if (!work.spend(PER_VALUE + value.length * PER_CHARACTER)) return undefined;
      if (exact.has(value)) return true;
      if (ofHost.size > 0 && ofHost.has(value.slice(value.lastIndexOf('@')))) return true;
      if (globs.length === 0) return false;
      if (!work.spend(globs.length * PER_GLOB + perCharacter * value.length)) return undefined;
      return globs.some((glob) => fits(value, glob));
    },
  };
}

/** `*@host` is the most common form, so it is looked up in a set. */
const OF_HOST = /^\*@[^@*]+$/;

interface Glob {
  head: string;
  middle: string[];
  tail: string;
}

function readGlob(pattern: string): Glob {
  const parts = pattern.split('*');
  return { head: parts[0]!, middle: parts.slice(1, -1).filter((part) => part !== ''), tail: parts.at(-1)! };
}

function fits(text: string, { head, middle, tail }: Glob): boolean {
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  // The leftmost match of each part leaves the most room, so no backtracking is needed.
  const end = text.length - tail.length;
  let from = head.length;
  for (const part of middle) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
