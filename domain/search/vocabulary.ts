import { editDistance } from './edit-distance.ts';

/** The words of an index. */
export interface Vocabulary {
  has(word: string): boolean;
  /** Returns longer words with this prefix, at most `MAX_LONGER_WORDS`. */
  startingWith(prefix: string): string[];
  /** Returns the words with the smallest distance. Without a near word, the distance is 0. */
  nearest(word: string): { words: string[]; distance: number };
}

const MAX_LONGER_WORDS = 50;

/** Builds a vocabulary. */
export function vocabulary(all: Iterable<string>): Vocabulary {
  const known = new Set(all);
  const sorted = [...known].sort();
  const byLength = Map.groupBy(sorted, ({ length }) => length);
  const letters = new Map([...byLength].map(([length, words]) => [length, Uint32Array.from(words, lettersOf)]));

  const near = (word: string, limit: number) => {
    const own = lettersOf(word);
    const found: { word: string; distance: number }[] = [];
    for (let length = word.length - limit; length <= word.length + limit; length += 1) {
      for (const [index, others] of letters.get(length)?.entries() ?? []) {
        // A typo changes at most two letters of the set. Comparing sets is cheaper than comparing
        // words.
        if (bitsOf(own ^ others) > 2 * limit) continue;
        const other = byLength.get(length)![index]!;
        const distance = editDistance(word, other, limit);
        if (distance <= limit) found.push({ word: other, distance });
      }
    }
    return found;
  };

  return {
    has: (word) => known.has(word),
    startingWith(prefix) {
      const longer: string[] = [];
      for (let index = firstFrom(sorted, prefix); longer.length < MAX_LONGER_WORDS && sorted[index]?.startsWith(prefix); index += 1)
        if (sorted[index] !== prefix) longer.push(sorted[index]!);
      return longer;
    },
    nearest(word) {
      const found = near(word, maxTypos(word));
      const distance = Math.min(...found.map((one) => one.distance));
      const words = found.filter((one) => one.distance === distance).map((one) => one.word);
      return { words, distance: words.length > 0 ? distance : 0 };
    },
  };
}

function maxTypos({ length }: string): number {
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/** The set of a word's letters, as bits. Letters of other scripts share bits with Latin letters. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index += 1) bits |= 1 << (word.charCodeAt(index) & 31);
  return bits >>> 0;
}

function bitsOf(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function firstFrom(sorted: readonly string[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
