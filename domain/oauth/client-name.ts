import { plainText } from '../policies/normal-text.ts';

const MAX_CHARACTERS = 100;

/**
 * Returns the stored and shown form of an OAuth client's name: one line of at most 100 characters.
 * NFKC replaces styled letters with plain letters. Invisible and reordering characters are removed.
 * Returns undefined if nothing is left.
 */
export function cleanClientName(name: string): string | undefined {
  const line = plainText(name).replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  return [...line].slice(0, MAX_CHARACTERS).join('').trim() || undefined;
}

/** Alphabets that share look-alike letters. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Georgian'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/**
 * Whether a word of the name mixes letters of several look-alike alphabets (Unicode TS 39, section
 * 5). Names that imitate other names do this.
 */
export function mixesAlphabets(name: string): boolean {
  return name.split(/[^\p{L}\p{M}]+/u).some((word) => ALIKE.filter((alphabet) => alphabet.test(word)).length > 1);
}
