import { plainText } from '../policies/normal-text.ts';

const MAX_CHARACTERS = 100;

/**
 * Returns a client's name as one line of at most 100 characters, without styled, invisible and
 * reordering characters. Undefined if nothing is left.
 */
export function cleanClientName(name: string): string | undefined {
  const line = plainText(name).replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  return [...line].slice(0, MAX_CHARACTERS).join('').trim() || undefined;
}

const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Georgian'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/**
 * Whether a word mixes letters of look-alike alphabets, as names that imitate others do (Unicode TS
 * 39, section 5).
 */
export function mixesAlphabets(name: string): boolean {
  return name.split(/[^\p{L}\p{M}]+/u).some((word) => ALIKE.filter((alphabet) => alphabet.test(word)).length > 1);
}
