import { editDistance } from './edit-distance.ts';
import { stemOf, wordsIn } from './word-stems.ts';

const LONGEST = 100;

/**
 * The name that was probably meant by one that is not there: the one that is nearly written so, else one that shares most of its words;
 * undefined where none is close. Case, hyphens and underscores do not count.
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const wanted = plain(written);
  let [best, distance] = [undefined as string | undefined, Math.max(2, Math.floor(wanted.length / 3)) + 1];
  for (const name of names) {
    const found = editDistance(wanted, plain(name), distance - 1);
    if (found < distance) [best, distance] = [name, found];
  }
  return best ?? sharingWords(written, names);
}

function plain(name: string): string {
  return name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

/** At least half of its words, and of names that share as many the shortest. */
function sharingWords(written: string, names: readonly string[]): string | undefined {
  const wanted = stemsOf(written);
  let [best, most] = [undefined as string | undefined, Math.max(0.5, wanted.size / 2 - 0.5)];
  for (const name of names) {
    const shared = [...stemsOf(name)].filter((stem) => wanted.has(stem)).length;
    if (shared > most || (shared === most && best !== undefined && name.length < best.length)) [best, most] = [name, shared];
  }
  return best;
}

function stemsOf(name: string): Set<string> {
  return new Set(wordsIn(name.slice(0, LONGEST)).map(stemOf));
}
