import { plainText } from '../policies/normal-text.ts';

const MAX_CHARACTERS = 100;

/**
 * The name that an OAuth client chose, as it is stored and shown: one line of at most 100
 * characters, in NFKC, so that letters of other styles become plain ones, and without invisible or
 * reordering characters. Undefined if nothing is left.
 */
export function cleanClientName(name: string): string | undefined {
  const line = plainText(name).replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  return [...line].slice(0, MAX_CHARACTERS).join('').trim() || undefined;
}

/** Alphabets with letters that look like those of another one of the list. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Georgian'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/**
 * Whether a word of the name mixes look-alike letters of several alphabets, as imitations of other
 * names do (Unicode TS 39, section 5).
 */
export function mixesAlphabets(name: string): boolean {
  return name.split(/[^\p{L}\p{M}]+/u).some((word) => ALIKE.filter((alphabet) => alphabet.test(word)).length > 1);
}
