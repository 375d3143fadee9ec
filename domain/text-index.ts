import { bestPlaces, firstPlaces, type Places } from './best-places.ts';
import { type Vocabulary, vocabulary } from './vocabulary.ts';
import { stemOf, wordsIn } from './word-stems.ts';
import { FILLERS, SYNONYM_WORDS, synonymsOf } from './word-synonyms.ts';

/** One kind of text that a document has. */
export interface Field<Document> {
  textOf(document: Document): string;
  /** How much a word counts here. */
  weight: number;
  /** How many words the field usually has; in a longer one each counts less. */
  usualWords: number;
}

/** Documents that come after others that fit about as well, unless the query asks for their like. */
export interface LateDocuments<Document> {
  isLate(document: Document): boolean;
  /** Whether a word that a query has, or one that means the same, asks for them. */
  isAskedBy(stem: string): boolean;
}

export interface TextIndex {
  /** The places of the documents that fit best, best first, those that fit equally in their order; a query without words fits all. */
  search(query: string, limit: number, accepts?: (place: number) => boolean): Places;
}

/** The documents that hold a stem, and how much it counts in each. */
interface Postings {
  places: number[];
  values: number[];
}

/** At this much weight a word counts half of what it can. */
const HALF = 4;
/** Of a query; what comes after them is not looked at. */
const MOST_WORDS = 32;
const SYNONYM = 0.6;
const JOINED = 0.9;
const BEGINNING = { shortest: 3, least: 0.35, most: 0.75 };
const MISTYPED = [1, 0.75, 0.55];
const LATE = 0.8;
const OTHER_FIRST_LETTER = 0.85;

/** An inverted index of texts by the stems of their words, made once; searching looks only at documents that hold a word of the query, or one like it. */
export function textIndex<Document>(
  documents: readonly Document[],
  fields: readonly Field<Document>[],
  late: LateDocuments<Document> = NONE_LATE,
): TextIndex {
  const { byStem, words } = postingsOf(documents, fields);
  const latePlaces = [...documents.keys()].filter((place) => late.isLate(documents[place]!));
  const known: Known = { ...vocabulary([...words, ...SYNONYM_WORDS]), hasStem: (stem) => byStem.has(stem) };
  return {
    search(query, limit, accepts = () => true) {
      const terms = termsOf(query, known);
      if (terms.length === 0) return firstPlaces(documents.length, limit, accepts);
      const found = scores(terms, byStem, documents.length);
      const isAsked = terms.some((term) => [...term.keys()].some(late.isAskedBy));
      if (!isAsked) for (const place of latePlaces) found[place] = found[place]! * LATE;
      return bestPlaces(found, limit, accepts);
    },
  };
}

const NONE_LATE: LateDocuments<unknown> = { isLate: () => false, isAskedBy: () => true };

/** Large catalogues have the same few words again and again: each is looked at once, and each text. */
function postingsOf<Document>(documents: readonly Document[], fields: readonly Field<Document>[]) {
  const byStem = new Map<string, Postings>();
  const byWord = new Map<string, Postings>();
  const ofWord = remembering(byWord, (word) => remembering(byStem, () => ({ places: [], values: [] }))(stemOf(word)));
  const ofText = remembering(new Map<string, Postings[]>(), (text) => [...new Set(wordsIn(text).map(ofWord))]);
  for (const [place, document] of documents.entries()) {
    for (const { textOf, weight, usualWords } of fields) {
      const stems = ofText(textOf(document));
      const value = weight / (0.5 + (0.5 * stems.length) / usualWords);
      for (const { places, values } of stems) {
        if (places.at(-1) === place) values.push(values.pop()! + value);
        else {
          places.push(place);
          values.push(value);
        }
      }
    }
  }
  for (const { values } of byStem.values()) for (const [index, value] of values.entries()) values[index] = value / (value + HALF);
  return { byStem, words: byWord.keys() };
}

function remembering<Result>(done: Map<string, Result>, work: (text: string) => Result): (text: string) => Result {
  return (text) => {
    const known = done.get(text);
    if (known !== undefined) return known;
    const result = work(text);
    done.set(text, result);
    return result;
  };
}

/** For each word of a query the stems that stand for it, with how surely. */
type Term = Map<string, number>;

interface Known extends Vocabulary {
  hasStem(stem: string): boolean;
}

function termsOf(query: string, known: Known): Term[] {
  const written = wordsIn(query).slice(0, MOST_WORDS);
  const terms = [...new Set(written)].filter((word) => !FILLERS.has(word)).flatMap((word) => expand(word, known));
  for (const [index, word] of written.slice(1).entries()) {
    const joined = written[index]! + word;
    // "time zone" where the index has "timezone".
    if (known.has(joined)) terms.push(new Map([[stemOf(joined), JOINED]]));
  }
  return terms;
}

function expand(word: string, known: Known): Term[] {
  const longer = word.length < BEGINNING.shortest ? [] : known.startingWith(word);
  const stem = stemOf(word);
  if (known.has(word) || known.hasStem(stem) || longer.length > 0) return [termOf([[stem, 1]], word, longer)];
  const { words, distance } = known.nearest(word);
  if (distance === 1) return [mistyped(word, words, distance)];
  const parts = partsOf(word, known);
  if (parts) return parts.map((part) => termOf([[stemOf(part), JOINED]], part, []));
  return [words.length > 0 ? mistyped(word, words, distance) : termOf([[stem, 1]], word, [])];
}

function mistyped(word: string, meant: readonly string[], distance: number): Term {
  const surely = (other: string) => MISTYPED[distance]! * (other[0] === word[0] ? 1 : OTHER_FIRST_LETTER);
  return termOf(
    meant.map((other) => [stemOf(other), surely(other)]),
    word,
    [],
  );
}

/** The stems meant, their synonyms, and the stems of longer words that begin alike. */
function termOf(meant: readonly (readonly [string, number])[], word: string, longer: readonly string[]): Term {
  const term: Term = new Map();
  const raise = (stem: string, to: number) => term.set(stem, Math.max(to, term.get(stem) ?? 0));
  for (const [stem, surely] of meant) {
    raise(stem, surely);
    for (const synonym of synonymsOf(stem)) raise(synonym, surely * SYNONYM);
  }
  for (const other of longer) raise(stemOf(other), BEGINNING.least + ((BEGINNING.most - BEGINNING.least) * word.length) / other.length);
  return term;
}

/** "sendemail" is two known words; of several ways to part it, the one with the longest shorter part. */
function partsOf(word: string, known: Vocabulary): [string, string] | undefined {
  const ways = Array.from({ length: Math.max(0, word.length - 3) }, (_, index): [string, string] => [
    word.slice(0, index + 2),
    word.slice(index + 2),
  ]);
  const shorter = ([left, right]: [string, string]) => Math.min(left.length, right.length);
  return ways.filter((parts) => parts.every(known.has)).sort((a, b) => shorter(b) - shorter(a))[0];
}

/** A word that few documents have says more than one that many have, and words that all fit together count more than their sum. */
function scores(terms: readonly Term[], byStem: ReadonlyMap<string, Postings>, size: number): Float64Array {
  const total = new Float64Array(size);
  const met = new Float64Array(size);
  let asked = 0;
  for (const term of terms) {
    const { best, touched } = bestFits(term, byStem, size);
    if (touched.length === 0) continue;
    const rarity = rarityOf(best, touched, size);
    asked += rarity;
    for (const place of touched) {
      total[place] = total[place]! + rarity * best[place]!;
      met[place] = met[place]! + rarity;
    }
  }
  return total.map((score, place) => (score === 0 ? 0 : (score * met[place]!) / asked));
}

/** Documents that only mention a word don't make it common. */
function rarityOf(best: Float64Array, touched: readonly number[], size: number): number {
  const enough = touched.reduce((most, place) => Math.max(most, best[place]!), 0) / 2;
  const holders = touched.reduce((count, place) => (best[place]! >= enough ? count + 1 : count), 0);
  return Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
}

function bestFits(term: Term, byStem: ReadonlyMap<string, Postings>, size: number): { best: Float64Array; touched: number[] } {
  const best = new Float64Array(size);
  const touched: number[] = [];
  for (const [stem, surely] of term) {
    const { places, values } = byStem.get(stem) ?? { places: [], values: [] };
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index]!;
      const fit = values[index]! * surely;
      if (best[place] === 0) touched.push(place);
      if (fit > best[place]!) best[place] = fit;
    }
  }
  return { best, touched };
}
