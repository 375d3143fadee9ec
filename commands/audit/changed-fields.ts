import { isDeepStrictEqual } from 'node:util';

/**
 * Returns those of `names` whose fields an update changed, for the event of the update. The names
 * are those that callers use.
 */
export function changedFields<Record extends object>(before: Record, after: Record, names: readonly (keyof Record & string)[]): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
