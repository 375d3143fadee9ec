import type { WorkBudget } from '../policies/work-budget.ts';

/**
 * Returns a function that reads the values at a dotted path; `*` matches any item or key. The
 * function returns undefined if the work budget is used up.
 */
export function valuesAtPaths(input: unknown, work: WorkBudget): (path: string) => unknown[] | undefined {
  const known = new Map<string, unknown[] | undefined>();
  return (path) => {
    if (!known.has(path)) known.set(path, valuesAt(input, path.split('.'), work));
    return known.get(path);
  };
}

/** In nanoseconds. */
const PER_PART = 100;
const PER_VALUE = 8;

function valuesAt(input: unknown, parts: string[], work: WorkBudget): unknown[] | undefined {
  let found = [input];
  for (const part of parts) {
    const below: unknown[] = [];
    for (const item of found) {
      if (item === null || typeof item !== 'object') continue;
      if (part !== '*') {
        if (Object.hasOwn(item, part)) below.push((item as Record<string, unknown>)[part]);
      } else for (const value of Object.values(item)) below.push(value);
    }
    if (!work.spend(PER_PART + (found.length + below.length) * PER_VALUE)) return undefined;
    found = below;
  }
  return found;
}
