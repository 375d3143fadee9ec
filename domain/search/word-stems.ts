/**
 * Returns the words of a text: in lower case, without accents, with camelCase split. Keeps repeated
 * words.
 */
export function wordsIn(text: string): string[] {
  const parted = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase();
  return parted.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the stem of an English word: `creates`, `created` and `creating` become `creat`. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = singular.replace(/(?:ing|ed|(?<=[st])ion)$/, '');
  const stem = bare !== singular && (bare.length < MIN_STEM || !/[aeiouy]/.test(bare)) ? singular : bare;
  // "getting" is "get", but "adding" is "add" and "calling" is "call".
  const single = stem !== singular && stem.length > MIN_STEM && /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  return single.length > MIN_STEM ? single.replace(/e$/, '') : single;
}

const MIN_STEM = 3;

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
