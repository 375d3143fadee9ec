import { editDistance } from './edit-distance.ts';
import { stemOf, wordsIn } from './word-stems.ts';
import { FILLERS, removes, synonymsOf } from './word-synonyms.ts';

export interface RankedNames {
  /** The name that was probably meant; undefined where none is near. */
  meant: string | undefined;
  /** All of them, the likeliest first. */
  ranked: string[];
}

const LONGEST = 100;
const SYNONYM = 0.8;
const MISTYPED = 0.75;
const BEGINNING = 0.7;
const BOTH_READ = 0.4;
/** How much a name counts that removes where nothing of the kind was written, or changes where one wants to read. */
const UNASKED = 0.7;
/** More than half of what was written and of the name must agree, less where all that was written does. */
const LEAST = 0.5;
const LEAST_OF_WHOLE = 0.4;

/**
 * Names by how likely they were meant by one that is not there: written nearly so, or of the same words or others that mean the same
 * (`set` is `put`, `add` is `create`). Case, hyphens and underscores do not count.
 */
export function rankNames(written: string, names: readonly string[]): RankedNames {
  const known = names.map((name) => ({ name, words: wordsOf(name) }));
  const likenessOf = likenessTo(written.slice(0, LONGEST), new Set(known.flatMap(({ words }) => words)));
  const scored = known.map(({ name, words }) => ({ name, ...likenessOf(name, words) }));
  scored.sort((a, b) => b.score - a.score || (a.score > 0 ? a.name.length - b.name.length : 0));
  const meant = scored.find(({ score, isWhole }) => score > LEAST || (isWhole && score >= LEAST_OF_WHOLE));
  return { meant: meant?.name, ranked: scored.map(({ name }) => name) };
}

/** Without those that say nothing, unless there are no others. */
function wordsOf(name: string): string[] {
  const words = wordsIn(name.slice(0, LONGEST));
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

interface Likeness {
  score: number;
  /** Whether every word that was written is there, or one that means the same. */
  isWhole: boolean;
}

function likenessTo(written: string, vocabulary: ReadonlySet<string>): (name: string, words: readonly string[]) => Likeness {
  const stems = new Set([...vocabulary].map(stemOf));
  const isKnown = (word: string) => FILLERS.has(word) || stems.has(stemOf(word)) || synonymsOf(stemOf(word)).length > 0;
  // Who writes words that are there mistyped none: "set" is no mistyped "get".
  const mayBeMistyped = !wordsIn(written).every(isKnown);
  const wanted = wordsOf(written);
  const [wantedPlain, wantsToRead] = [plain(written), reads(wanted[0])];
  // Names share most of their words: each is compared once.
  const likenesses = new Map([...vocabulary].map((word) => [word, wanted.map((one) => similarity(one, word, isKnown(one)))]));

  return (name, words) => {
    const namePlain = plain(name);
    if (namePlain === wantedPlain) return { score: 1, isWhole: true };
    const table = words.map((word) => likenesses.get(word)!);
    const found = wanted.map((_, index) => table.reduce((most, row) => Math.max(most, row[index]!), 0));
    const covered = table.map((row) => Math.max(0, ...row));
    const shared = (sum(found) + sum(covered)) / Math.max(1, wanted.length + words.length);
    const isUnasked = removes(words[0]) ? covered[0]! < BEGINNING : wantsToRead && !reads(words[0]);
    const spelled = mayBeMistyped ? spelledAlike(wantedPlain, namePlain) : 0;
    const isWhole = !isUnasked && found.length > 0 && found.every((one) => one >= SYNONYM);
    return { score: Math.max(spelled, isUnasked ? shared * UNASKED : shared), isWhole };
  };
}

function similarity(written: string, word: string, isKnown: boolean): number {
  const [stem, other] = [stemOf(written), stemOf(word)];
  if (stem === other) return 1;
  if (synonymsOf(stem).includes(other)) return SYNONYM;
  if (reads(written) && reads(word)) return BOTH_READ;
  if (isKnown) return 0;
  if (editDistance(written, word, mistakesOf(written)) <= mistakesOf(written)) return MISTYPED;
  return written.length > 2 && word.startsWith(written) ? BEGINNING : 0;
}

function reads(word = ''): boolean {
  return READING.has(stemOf(word));
}

/** What actions are called that only look, each in its own way. */
const READING: ReadonlySet<string> = new Set(['get', 'read', 'list', 'search', 'find', 'fetch', 'show', 'query'].map(stemOf));

function spelledAlike(wanted: string, name: string): number {
  const limit = mistakesOf(wanted);
  const distance = editDistance(wanted, name, limit);
  return distance <= limit ? 1 - distance / Math.max(1, wanted.length) : 0;
}

function mistakesOf({ length }: string): number {
  return length < 3 ? 0 : Math.max(1, Math.floor(length / 4));
}

function plain(name: string): string {
  return name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
