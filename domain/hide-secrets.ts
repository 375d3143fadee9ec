import { REDACTED } from './redact-text.ts';

/** A text without the secrets, in no more than 2.5 times its length; with `maxLength`, of the beginning of the text that is so long. */
export type HideSecrets = (text: string, maxLength?: number) => string;

/** Below this length a secret is no secret, and hiding it would garble everything. */
const MIN_LENGTH = 4;

/** Secrets in all their forms. Where there are more, every text is hidden as a whole. */
const MAX_SECRETS = 1000;
const MAX_TOTAL_LENGTH = 256 * 1024;

/**
 * Hides these secrets in texts, also where they are written as in a URL, a form or JSON, overlap, or are cut off at `maxLength`: services
 * echo what they were sent. Reads a text once, however many secrets there are and whatever they hold, and never what it wrote itself.
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

/** So few beginnings are looked for one by one, which is fast, and mostly none is there. */
const FEW = 16;

/** Undefined where there are too many. */
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

/** Never ends in half a character. */
function beginningOf(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** The secrets as one machine (Aho and Corasick, 1975): a state is the longest beginning of a secret that the text read so far ends with. */
interface Search {
  /** The characters of the secrets, numbered: numbers of edges stay small, which makes them fast. */
  letters: Map<number, number>;
  /** The next state by `edge(state, letter)`. */
  edges: Map<number, number>;
  /** Of each state: the longest shorter one that it ends with. */
  fallback: number[];
  /** Of each state: how many characters it stands for. */
  depth: number[];
  /** Of each state: the length of the longest secret that it ends with; 0: none. */
  found: number[];
}

function searchFor(secrets: readonly string[]): Search {
  const letters = new Map<number, number>();
  for (const secret of secrets)
    for (let at = 0; at < secret.length; at += 1) if (!letters.has(secret.charCodeAt(at))) letters.set(secret.charCodeAt(at), letters.size);
  const search: Search = { letters, edges: new Map(), fallback: [0], depth: [0], found: [0] };
  let open = secrets.map((secret) => ({ secret, state: 0 }));
  // All secrets character by character, so that whatever a new state may fall back to is there already.
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

/** From, and up to but without. */
type Span = [start: number, end: number];

/** The places that secrets take, in order and apart. */
function findSpans(search: Search, text: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  let state = 0;
  for (let end = 1; end <= text.length; end += 1) {
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
