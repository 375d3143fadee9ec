import { essenceOf, isJsonType } from '../../media-type.ts';

/**
 * The media types of a list: `application/json`, then other JSON, then others, each in alphabetical
 * order, so that the order of the document decides nothing.
 */
export function mediaTypes(types: unknown): string[] {
  const rank = (type: string) => `${essenceOf(type) === 'application/json' ? 0 : isJsonType(type) ? 1 : 2}${type}`;
  return textsOf(types).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The texts of a list. */
export function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
