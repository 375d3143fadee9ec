import { essenceOf, isJsonType } from '../../media-type.ts';

/**
 * Sorts media types: `application/json`, other JSON types, all others. The order in the document
 * has no effect.
 */
export function mediaTypes(types: unknown): string[] {
  const rank = (type: string) => `${essenceOf(type) === 'application/json' ? 0 : isJsonType(type) ? 1 : 2}${type}`;
  return textsOf(types).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Returns the strings of a list. Empty if the value is not a list. */
export function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
