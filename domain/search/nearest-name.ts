import { editDistance } from './edit-distance.ts';
import { stemOf, wordsIn } from './word-stems.ts';
import { FILLERS, isDeletionWord, synonymsOf } from './word-synonyms.ts';

/** Existing names, ranked by their similarity to an unknown name. */
export interface RankedNames {
  /** Undefined if no name is similar enough. */
  meant: string | undefined;
  /** The most likely first. */
  ranked: string[];
}

const MAX_LENGTH = 100;
/** Similarities from 0 to 1. */
const SYNONYM = 0.8;
const TYPO = 0.75;
const PREFIX = 0.7;
const BOTH_READ_VERBS = 0.4;
/**
 * Factor for a name with an unrequested effect: deletion, or a change although the written name
 * means reading.
 */
const UNREQUESTED = 0.7;
/** MIN_SCORE_OF_WHOLE is enough if every written word matches. */
const MIN_SCORE = 0.5;
const MIN_SCORE_OF_WHOLE = 0.4;

/**
 * Ranks names by the probability that an unknown name means them: by spelling, shared words and
 * synonyms.
 */
export function rankNames(written: string, names: readonly string[]): RankedNames {
  const known = names.map((name) => ({ name, words: wordsOf(name) }));
  const scoreOf = scorerFor(written.slice(0, MAX_LENGTH), new Set(known.flatMap(({ words }) => words)));
  const scored = known.map(({ name, words }) => ({ name, ...scoreOf(name, words) }));
  scored.sort((a, b) => b.score - a.score || (a.score > 0 ? a.name.length - b.name.length : 0));
  const meant = scored.find(({ score, isWhole }) => score > MIN_SCORE || (isWhole && score >= MIN_SCORE_OF_WHOLE));
  return { meant: meant?.name, ranked: scored.map(({ name }) => name) };
}

function wordsOf(name: string): string[] {
  const words = wordsIn(name.slice(0, MAX_LENGTH));
  const meaningful = words.filter((word) => !FILLERS.has(word));
  return meaningful.length > 0 ? meaningful : words;
}

interface Likeness {
  score: number;
  /** Whether every written word, or a synonym, is in the name. */
  isWhole: boolean;
}

function scorerFor(written: string, vocabulary: ReadonlySet<string>): (name: string, words: readonly string[]) => Likeness {
  const stems = new Set([...vocabulary].map(stemOf));
  const isKnown = (word: string) => FILLERS.has(word) || stems.has(stemOf(word)) || synonymsOf(stemOf(word)).length > 0;
  // A known word is not a typo: "set" is not a mistyped "get".
  const mayHaveTypos = !wordsIn(written).every(isKnown);
  const wanted = wordsOf(written);
  const [wantedPlain, wantsToRead] = [plain(written), isReadVerb(wanted[0])];
  // Names share most of their words, so each word is compared once.
  const similarities = new Map([...vocabulary].map((word) => [word, wanted.map((one) => similarity(one, word, isKnown(one)))]));

  return (name, words) => {
    const namePlain = plain(name);
    if (namePlain === wantedPlain) return { score: 1, isWhole: true };
    const table = words.map((word) => similarities.get(word)!);
    const found = wanted.map((_, index) => table.reduce((most, row) => Math.max(most, row[index]!), 0));
    const covered = table.map((row) => Math.max(0, ...row));
    const shared = (sum(found) + sum(covered)) / Math.max(1, wanted.length + words.length);
    const isUnrequested = isDeletionWord(words[0]) ? covered[0]! < PREFIX : wantsToRead && !isReadVerb(words[0]);
    const spelled = mayHaveTypos ? spelledAlike(wantedPlain, namePlain) : 0;
    const isWhole = !isUnrequested && found.length > 0 && found.every((one) => one >= SYNONYM);
    return { score: Math.max(spelled, isUnrequested ? shared * UNREQUESTED : shared), isWhole };
  };
}

function similarity(written: string, word: string, isKnown: boolean): number {
  const [stem, other] = [stemOf(written), stemOf(word)];
  if (stem === other) return 1;
  if (synonymsOf(stem).includes(other)) return SYNONYM;
  if (isReadVerb(written) && isReadVerb(word)) return BOTH_READ_VERBS;
  if (isKnown) return 0;
  if (editDistance(written, word, maxTypos(written)) <= maxTypos(written)) return TYPO;
  return written.length > 2 && word.startsWith(written) ? PREFIX : 0;
}

function isReadVerb(word = ''): boolean {
  return READ_VERBS.has(stemOf(word));
}

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'read', 'list', 'search', 'find', 'fetch', 'show', 'query'].map(stemOf));

function spelledAlike(wanted: string, name: string): number {
  const limit = maxTypos(wanted);
  const distance = editDistance(wanted, name, limit);
  return distance <= limit ? 1 - distance / Math.max(1, wanted.length) : 0;
}

function maxTypos({ length }: string): number {
  return length < 3 ? 0 : Math.max(1, Math.floor(length / 4));
}

function plain(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
