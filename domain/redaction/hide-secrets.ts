import { CUT } from '../cut-text.ts';
import { REDACTED } from './redacted.ts';

/** Hides the secrets in a text. With `maxLength`, only the beginning is read and returned. */
export type HideSecrets = (text: string, maxLength?: number) => string;

/** Shorter secrets are not hidden, because hiding them would garble most texts. */
const MIN_LENGTH = 4;

/** Limits of all forms of the secrets together. Beyond them, whole texts are hidden. */
const MAX_SECRETS = 1000;
const MAX_TOTAL_LENGTH = 256 * 1024;

/**
 * Returns a function that hides these secrets, as written and in the forms of a URL, a form body or
 * JSON. Secrets that are cut off at `maxLength` or before an ellipsis are hidden too.
 */
export function hiderOf(secrets: Iterable<string>): HideSecrets {
  const forms = allForms(secrets);
  const heads = [...new Set((forms ?? []).map((form) => form.slice(0, MIN_LENGTH)))];
  let search: Search | undefined;
  return (text, maxLength = text.length) => {
    const read = beginningOf(text, maxLength);
    if (!forms) return read.length < MIN_LENGTH ? read : REDACTED;
    if (heads.length <= FEW && !heads.some((head) => read.includes(head))) return read;
    search ??= searchFor(forms);
    return hideSpans(read, findSpans(search, read, read.length < text.length));
  };
}

/**
 * With up to this number of beginnings, the text is first searched for each of them, because most
 * texts contain none.
 */
const FEW = 16;

function allForms(secrets: Iterable<string>): string[] | undefined {
  const forms = new Set<string>();
  let length = 0;
  for (const secret of secrets) {
    for (const form of secret.length < MIN_LENGTH ? [] : formsOf(secret)) {
      if (forms.has(form)) continue;
      forms.add(form);
      length += form.length;
      if (forms.size > MAX_SECRETS || length > MAX_TOTAL_LENGTH) return undefined;
    }
  }
  return [...forms];
}

function formsOf(secret: string): string[] {
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inUrl, inUrl.replaceAll('%20', '+'), inJson, inJson.replaceAll('/', '\\/')];
}

/** The end never divides a surrogate pair. */
function beginningOf(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/**
 * An automaton (Aho and Corasick, 1975). A state is the longest beginning of a secret at the end of
 * the text read so far.
 */
interface Search {
  /** The letters of the secrets, numbered from 0, so that the numbers of edges stay small. */
  letters: Map<number, number>;
  /** Next states, by the number that `edge(state, letter)` returns. */
  edges: Map<number, number>;
  /** The longest other state that the state ends with. */
  fallback: number[];
  /** Length of each state in characters. */
  depth: number[];
  /** Length of the longest secret that the state ends with. 0 if there is none. */
  found: number[];
}

function searchFor(secrets: readonly string[]): Search {
  const letters = new Map<number, number>();
  for (const secret of secrets)
    for (let at = 0; at < secret.length; at += 1) if (!letters.has(secret.charCodeAt(at))) letters.set(secret.charCodeAt(at), letters.size);
  const search: Search = { letters, edges: new Map(), fallback: [0], depth: [0], found: [0] };
  let open = secrets.map((secret) => ({ secret, state: 0 }));
  // All secrets are read in parallel, so the fallback of a new state already exists.
  for (let read = 1; open.length > 0; read += 1) {
    for (const one of open) {
      const letter = letters.get(one.secret.charCodeAt(read - 1))!;
      one.state = search.edges.get(edge(search, one.state, letter)) ?? addState(search, one.state, letter);
    }
    for (const { secret, state } of open) if (secret.length === read) search.found[state] = read;
    open = open.filter(({ secret }) => secret.length > read);
  }
  return search;
}

function addState(search: Search, parent: number, letter: number): number {
  const state = search.depth.length;
  const fallback = parent === 0 ? 0 : nextState(search, search.fallback[parent]!, letter);
  search.edges.set(edge(search, parent, letter), state);
  search.fallback.push(fallback);
  search.depth.push(search.depth[parent]! + 1);
  search.found.push(search.found[fallback]!);
  return state;
}

function nextState(search: Search, from: number, letter: number): number {
  for (let state = from; ; state = search.fallback[state]!) {
    const next = search.edges.get(edge(search, state, letter));
    if (next !== undefined || state === 0) return next ?? 0;
  }
}

function edge({ letters }: Search, state: number, letter: number): number {
  return state * letters.size + letter;
}

/** The end is exclusive. */
type Span = [start: number, end: number];

/** Returns the places of secrets in order, without overlaps. */
function findSpans(search: Search, text: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  let state = 0;
  for (let end = 1; end <= text.length; end += 1) {
    if (text[end - 1] === CUT && search.depth[state]! >= MIN_LENGTH) cover(spans, end - 1 - search.depth[state]!, end - 1);
    const letter = search.letters.get(text.charCodeAt(end - 1));
    state = letter === undefined ? 0 : nextState(search, state, letter);
    const length = search.found[state]!;
    if (length > 0) cover(spans, end - length, end);
  }
  const begun = search.depth[state]!;
  if (isCut && begun >= MIN_LENGTH) cover(spans, text.length - begun, text.length);
  return spans;
}

function cover(spans: Span[], from: number, end: number): void {
  let start = from;
  for (let last = spans.at(-1); last && last[1] >= start; last = spans.at(-1)) {
    start = Math.min(start, last[0]);
    spans.pop();
  }
  spans.push([start, end]);
}

function hideSpans(text: string, spans: readonly Span[]): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of spans) {
    shown += text.slice(from, start) + REDACTED;
    from = end;
  }
  return shown + text.slice(from);
}
