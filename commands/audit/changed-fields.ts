import { isDeepStrictEqual } from 'node:util';

/**
 * The names among these of the fields that an update changed, for its event. They are the names
 * that callers know.
 */
export function changedFields<Record extends object>(before: Record, after: Record, names: readonly (keyof Record & string)[]): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
