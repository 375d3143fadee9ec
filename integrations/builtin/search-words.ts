import { z } from 'zod';

const MAX_WORDS = 10;

/** What is searched for, as its words; at least one, at most ten. */
export const searchWords = z
  .string()
  .min(1, { abort: true })
  .max(500, { abort: true })
  .refine((query) => !query.includes('\u0000'), 'must not hold the NUL character')
  .refine((query) => wordsOf(query).length > 0, 'holds no word')
  .refine((query) => wordsOf(query).length <= MAX_WORDS, `holds too many words: at most ${MAX_WORDS}`)
  .describe('one to ten words, whose case does not count; what is found holds all of them, anywhere');

/** The words of a query, each once. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.split(/\s+/).filter((word) => word !== ''))];
}
