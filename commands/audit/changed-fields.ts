import { isDeepStrictEqual } from 'node:util';

/**
 * Returns which of the fields `names` an update changed, for the event of the update.
 */
export function changedFields<Record extends object>(before: Record, after: Record, names: readonly (keyof Record & string)[]): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
