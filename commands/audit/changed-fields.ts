import { isDeepStrictEqual } from 'node:util';

/**
 * Returns the names of the fields that an update changed, for the event of the update. `names` are
 * the fields to compare, under the names that callers use.
 */
export function changedFields<Record extends object>(before: Record, after: Record, names: readonly (keyof Record & string)[]): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
