import type { CodeRun } from '../../domain/code-run.ts';
import { holdsCredential, redactText } from '../../domain/redaction/redact-text.ts';
import { REDACTED } from '../../domain/redaction/redacted.ts';
import { type CodeLimits, LINE_END, truncateCode } from '../../domain/truncate-code.ts';
import type { Literals, Span } from '../../sandbox/reader/find-literals.ts';
import { readLiterals } from '../../sandbox/reader/read-code.ts';

/** A program and its organization. Organizations take turns at the parser. */
export type Program = Pick<CodeRun, 'code' | 'orgId'>;

/** A redacted program. */
export interface RedactedCode {
  /** The lines in order, without line ends. */
  lines: string[];
  /** The numbers of the lines with hidden parts, from 1. */
  hiddenLines: number[];
  /** The numbers of the lines of which only the beginning was read. */
  cutLines: number[];
}

const ALL: CodeLimits = { length: Number.POSITIVE_INFINITY, lineLength: Number.POSITIVE_INFINITY };

/**
 * Redacts a program up to the limits `atMost`. If the program can be parsed, its statements stay
 * readable. Every line keeps its number, because plans and errors refer to line numbers.
 */
export async function redactCode({ code: source, orgId }: Program, atMost: CodeLimits = ALL): Promise<RedactedCode> {
  const { code, end, cutLines, offsetInCode } = truncateCode(source, atMost);
  const found = (await readLiterals(source, end, orgId)) ?? NOTHING_READ;
  const placed = (spans: Span[]) =>
    spans.map(([from, to]): Span => [offsetInCode(from), offsetInCode(to)]).filter(([from, to]) => from < to);
  const hidden = hiddenIn(code, { ...placeLiterals(found, placed), readTo: offsetInCode(found.readTo) });
  const [lines, before] = [hideSpans(code, hidden).split(LINE_END), code.split(LINE_END)];
  return { lines, hiddenLines: lines.flatMap((line, index) => (line === before[index] ? [] : [index + 1])), cutLines };
}

/** Characters that are read on both sides of a part, because a secret can cross its ends. */
const AROUND = 500;

/** Returns a function that redacts parts of the first `length` characters of a program. */
export async function openRedactor({ code: source, orgId }: Program, length: number): Promise<(part: Span) => string> {
  const found = (await readLiterals(source, length + AROUND, orgId)) ?? NOTHING_READ;
  return ([from, to]) => {
    const [start, end] = [Math.max(0, from - AROUND), Math.min(source.length, to + AROUND)];
    const placed = (spans: Span[]) => within([start, end], spans).map(([one, other]): Span => [one - start, other - start]);
    const hidden = hiddenIn(source.slice(start, end), { ...placeLiterals(found, placed), readTo: found.readTo - start });
    const shown = within([from - start, to - start], hidden).map(([one, other]): Span => [one - (from - start), other - (from - start)]);
    return hideSpans(source.slice(from, to), shown);
  };
}

function placeLiterals({ texts, names, numbers, comments }: Literals, placed: (spans: Span[]) => Span[]): Omit<Literals, 'readTo'> {
  return { texts: placed(texts), names: placed(names), numbers: placed(numbers), comments: placed(comments) };
}

const NOTHING_READ: Literals = { texts: [], names: [], numbers: [], comments: [], readTo: 0 };

/** Hides only literals and comments, but behind `readTo` everything that looks secret. */
function hiddenIn(code: string, literals: Literals): Span[] {
  const hidden = [...hiddenInCode(code, literals), ...hiddenInComments(code, literals), ...hiddenBehind(code, literals.readTo)];
  return joined(hidden.sort(([one], [other]) => one - other));
}

function hiddenBehind(code: string, readTo: number): Span[] {
  if (readTo >= code.length) return [];
  const spans = [...secretSpans(code), ...secretSpans(blank(code, commentsIn(code)))];
  return spans.filter(([, end]) => end > readTo).map(([start, end]) => [Math.max(start, readTo), end]);
}

function commentsIn(code: string): Span[] {
  return Array.from(
    code.matchAll(/\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n\r\u2028\u2029]*/g),
    ({ index, 0: text }): Span => [index, index + text.length],
  );
}

/** The spans must be sorted. */
function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const [from, to] of spans) {
    const last = found.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

function hiddenInCode(code: string, { texts, names, numbers, comments }: Literals): Span[] {
  const text = blank(code, comments);
  const credentials = names.filter(([start, end]) => start < code.length && holdsCredential(text.slice(start, end)));
  const hideable = [...texts, ...credentials].sort(([one], [other]) => one - other);
  return secretSpans(text).flatMap((span) => [...within(literalReach(text, span, hideable), hideable), ...numberIn(text, span, numbers)]);
}

function hiddenInComments(code: string, { comments }: Literals): Span[] {
  if (comments.length === 0) return [];
  const ends = [0, ...comments.flat(), code.length];
  const between = ends.flatMap((start, index): Span[] => (index % 2 === 0 ? [[start, ends[index + 1]!]] : []));
  return secretSpans(blank(code, between)).flatMap((span) => within(span, comments));
}

function blank(text: string, spans: readonly Span[]): string {
  let left = '';
  let from = 0;
  for (const [start, end] of spans) {
    left += text.slice(from, start) + text.slice(start, end).replace(/[^\s\u2028\u2029]/g, ' ');
    from = end;
  }
  return left + text.slice(from);
}

/**
 * Redacts the text, then searches the original text for the parts that were not redacted. The
 * hidden spans lie between these parts.
 */
function secretSpans(text: string): Span[] {
  const [first = '', ...rest] = redactText(text).split(REDACTED);
  const spans: Span[] = [];
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? Math.max(at, text.length - part.length) : text.indexOf(part, at);
    const end = found === -1 ? text.length : found;
    spans.push([at, end]);
    if (found === -1) break;
    at = end + part.length;
  }
  return spans;
}

/** Limits a secret that starts in a literal to this literal and the literals joined to it. */
function literalReach(text: string, [start, end]: Span, literals: readonly Span[]): Span {
  const first = firstBehind(literals, start);
  if (first === literals.length || literals[first]![0] > start) return [start, end];
  let last = first;
  while (literals[last]![1] < end && isJoined(text, literals[last], literals[last + 1])) last += 1;
  return [start, Math.min(end, literals[last]![1])];
}

function isJoined(text: string, one: Span | undefined, next: Span | undefined): boolean {
  return one !== undefined && next !== undefined && /^["'`\s,+]*$/.test(text.slice(one[1], next[0]));
}

/** The places must be sorted. */
function within([start, end]: Span, places: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (let index = firstBehind(places, start); index < places.length && places[index]![0] < end; index += 1) {
    const [from, to] = places[index]!;
    found.push([Math.max(from, start), Math.min(to, end)]);
  }
  return found;
}

function firstBehind(places: readonly Span[], offset: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]![1] > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A number is a secret as a whole or not at all. */
function numberIn(text: string, span: Span, numbers: readonly Span[]): Span[] {
  const [number, another] = within(span, numbers);
  if (!number || another) return [];
  return /^[\s,;)\]}]*$/.test(text.slice(span[0], number[0]) + text.slice(number[1], span[1])) ? [number] : [];
}

function hideSpans(text: string, spans: readonly Span[]): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of spans) {
    shown += text.slice(from, start) + text.slice(start, end).replace(/[^\r\n\u2028\u2029]+/g, REDACTED);
    from = Math.max(from, end);
  }
  return shown + text.slice(from);
}
