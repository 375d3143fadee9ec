import { z } from 'zod';

const MAX_WORDS = 10;

/** A search query of one to ten words. */
export const searchWords = z
  .string()
  .min(1, { abort: true })
  .max(500, { abort: true })
  .refine((query) => !query.includes('\u0000'), 'must not hold the NUL character')
  .refine((query) => wordsOf(query).length > 0, 'holds no word')
  .refine((query) => wordsOf(query).length <= MAX_WORDS, `holds too many words: at most ${MAX_WORDS}`)
  .describe('one to ten words in any case; a match contains all of them');

/** Returns the distinct words of a query. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.split(/\s+/).filter((word) => word !== ''))];
}
