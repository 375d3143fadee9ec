import { firstMatches, type Matches, topMatches } from './top-matches.ts';
import { type Vocabulary, vocabulary } from './vocabulary.ts';
import { stemOf, wordsIn } from './word-stems.ts';
import { FILLERS, SYNONYM_WORDS, synonymsOf } from './word-synonyms.ts';

/** A text field of a document. */
export interface Field<Document> {
  textOf(document: Document): string;
  weight: number;
  /** A field with more words than this gives each word less weight. */
  usualWords: number;
}

/** Documents that are ranked lower unless the query asks for them. */
export interface Demotion<Document> {
  isDemoted(document: Document): boolean;
  /** Whether a search for `stem` asks for these documents. */
  isRequestedBy(stem: string): boolean;
}

/** An index that finds documents by words. */
export interface TextIndex {
  /**
   * Returns the best matches; equal matches in document order. A query without words, or with only
   * fillers, matches all documents.
   */
  search(query: string, limit: number, accepts?: (id: number) => boolean): Matches;
}

interface Postings {
  ids: number[];
  values: number[];
}

/** At this weight, a word has half of its maximum value. */
const HALF_WEIGHT = 4;
/** Later query words are ignored. */
const MAX_WORDS = 32;
/** Certainty that a synonym is meant. The word itself has the certainty 1. */
const SYNONYM = 0.6;
/** Certainty that a question asks for a list. */
const QUESTION = 0.4;
/** Certainty of two query words that form one word, and of the parts of a split query word. */
const JOINED = 0.9;
/** Query words of at least `shortest` letters match longer words. */
const PREFIX = { shortest: 3, least: 0.35, most: 0.75 };
/** Certainty by the number of typos. */
const TYPOS = [1, 0.75, 0.55];
const DEMOTED = 0.8;
const OTHER_FIRST_LETTER = 0.85;

/** Builds an index of word stems. It also finds synonyms, longer words and similar words. */
export function textIndex<Document>(
  documents: readonly Document[],
  fields: readonly Field<Document>[],
  demotion: Demotion<Document> = NO_DEMOTION,
): TextIndex {
  const { byStem, words } = postingsOf(documents, fields);
  const demotedIds = [...documents.keys()].filter((id) => demotion.isDemoted(documents[id]!));
  const known: Known = { ...vocabulary([...words, ...SYNONYM_WORDS]), hasStem: (stem) => byStem.has(stem) };
  return {
    search(query, limit, accepts = () => true) {
      const terms = termsOf(query, known);
      if (terms.length === 0) return firstMatches(documents.length, limit, accepts);
      const found = scores(terms, byStem, documents.length);
      const isRequested = terms.some((term) => [...term.keys()].some(demotion.isRequestedBy));
      if (!isRequested) for (const id of demotedIds) found[id] = found[id]! * DEMOTED;
      return topMatches(found, limit, accepts);
    },
  };
}

const NO_DEMOTION: Demotion<unknown> = { isDemoted: () => false, isRequestedBy: () => true };

/** Large catalogues repeat the same few words, so each word and each text is processed once. */
function postingsOf<Document>(documents: readonly Document[], fields: readonly Field<Document>[]) {
  const byStem = new Map<string, Postings>();
  const byWord = new Map<string, Postings>();
  const ofWord = memoize(byWord, (word) => memoize(byStem, () => ({ ids: [], values: [] }))(stemOf(word)));
  const ofText = memoize(new Map<string, Postings[]>(), (text) => [...new Set(wordsIn(text).map(ofWord))]);
  for (const [id, document] of documents.entries()) {
    for (const { textOf, weight, usualWords } of fields) {
      const stems = ofText(textOf(document));
      const value = weight / (0.5 + (0.5 * stems.length) / usualWords);
      for (const { ids, values } of stems) {
        if (ids.at(-1) === id) values.push(values.pop()! + value);
        else {
          ids.push(id);
          values.push(value);
        }
      }
    }
  }
  for (const { values } of byStem.values()) for (const [index, value] of values.entries()) values[index] = value / (value + HALF_WEIGHT);
  return { byStem, words: byWord.keys() };
}

function memoize<Result>(done: Map<string, Result>, work: (text: string) => Result): (text: string) => Result {
  return (text) => {
    const known = done.get(text);
    if (known !== undefined) return known;
    const result = work(text);
    done.set(text, result);
    return result;
  };
}

/** Stems, each with its certainty. */
type Term = Map<string, number>;

interface Known extends Vocabulary {
  hasStem(stem: string): boolean;
}

function termsOf(query: string, known: Known): Term[] {
  const written = wordsIn(query).slice(0, MAX_WORDS);
  const terms = [...new Set(written)].filter((word) => !FILLERS.has(word)).flatMap((word) => expand(word, known));
  for (const [index, word] of written.slice(1).entries()) {
    const joined = written[index]! + word;
    // Matches "time zone" to "timezone".
    if (known.has(joined)) terms.push(new Map([[stemOf(joined), JOINED]]));
  }
  // "What channels are there" asks for a list.
  if (terms.length > 0 && written.some((word) => word === 'what' || word === 'which')) terms.push(new Map([[stemOf('list'), QUESTION]]));
  return terms;
}

function expand(word: string, known: Known): Term[] {
  const longer = word.length < PREFIX.shortest ? [] : known.startingWith(word);
  const stem = stemOf(word);
  if (known.has(word) || known.hasStem(stem) || longer.length > 0) return [termOf([[stem, 1]], word, longer)];
  const { words, distance } = known.nearest(word);
  if (distance === 1) return [typoTerm(word, words, distance)];
  const parts = splitWord(word, known);
  if (parts) return parts.map((part) => termOf([[stemOf(part), JOINED]], part, []));
  return [words.length > 0 ? typoTerm(word, words, distance) : termOf([[stem, 1]], word, [])];
}

function typoTerm(word: string, meant: readonly string[], distance: number): Term {
  const certainty = (other: string) => TYPOS[distance]! * (other[0] === word[0] ? 1 : OTHER_FIRST_LETTER);
  return termOf(
    meant.map((other) => [stemOf(other), certainty(other)]),
    word,
    [],
  );
}

function termOf(meant: readonly (readonly [string, number])[], word: string, longer: readonly string[]): Term {
  const term: Term = new Map();
  const raise = (stem: string, to: number) => term.set(stem, Math.max(to, term.get(stem) ?? 0));
  for (const [stem, certainty] of meant) {
    raise(stem, certainty);
    for (const synonym of synonymsOf(stem)) raise(synonym, certainty * SYNONYM);
  }
  for (const other of longer) raise(stemOf(other), PREFIX.least + ((PREFIX.most - PREFIX.least) * word.length) / other.length);
  return term;
}

/** Splits a word such as "sendemail". Chooses the split whose shorter part is longest. */
function splitWord(word: string, known: Vocabulary): [string, string] | undefined {
  const ways = Array.from({ length: Math.max(0, word.length - 3) }, (_, index): [string, string] => [
    word.slice(0, index + 2),
    word.slice(index + 2),
  ]);
  const shorter = ([left, right]: [string, string]) => Math.min(left.length, right.length);
  return ways.filter((parts) => parts.every(known.has)).sort((a, b) => shorter(b) - shorter(a))[0];
}

/** Words that are not in the index do not count. */
function scores(terms: readonly Term[], byStem: ReadonlyMap<string, Postings>, size: number): Float64Array {
  const total = new Float64Array(size);
  const matched = new Float64Array(size);
  let totalRarity = 0;
  for (const term of terms) {
    const { best, matches } = bestValues(term, byStem, size);
    if (matches.length === 0) continue;
    const rarity = rarityOf(best, matches, size);
    totalRarity += rarity;
    for (const id of matches) {
      total[id] = total[id]! + rarity * best[id]!;
      matched[id] = matched[id]! + rarity;
    }
  }
  return total.map((score, id) => (score === 0 ? 0 : (score * matched[id]!) / totalRarity));
}

function rarityOf(best: Float64Array, matches: readonly number[], size: number): number {
  const enough = matches.reduce((most, id) => Math.max(most, best[id]!), 0) / 2;
  const holders = matches.reduce((count, id) => (best[id]! >= enough ? count + 1 : count), 0);
  return Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
}

function bestValues(term: Term, byStem: ReadonlyMap<string, Postings>, size: number): { best: Float64Array; matches: number[] } {
  const best = new Float64Array(size);
  const matches: number[] = [];
  for (const [stem, certainty] of term) {
    const { ids, values } = byStem.get(stem) ?? { ids: [], values: [] };
    for (let index = 0; index < ids.length; index += 1) {
      const id = ids[index]!;
      const fit = values[index]! * certainty;
      if (best[id] === 0) matches.push(id);
      if (fit > best[id]!) best[id] = fit;
    }
  }
  return { best, matches };
}
