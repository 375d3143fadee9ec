import { isDeepStrictEqual } from 'node:util';

/** Which of the fields `names` an update changed. */
export function changedFields<Record extends object>(before: Record, after: Record, names: readonly (keyof Record & string)[]): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
