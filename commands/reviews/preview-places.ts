import { setImmediate } from 'node:timers/promises';
import { escapeHidden } from '../../domain/redaction/visible-text.ts';
import { LINE_END } from '../../domain/truncate-code.ts';
import type { CodePreview } from './preview-code.ts';
import { openRedactor, type Program } from './redact-code.ts';

/** Line and column count from 1. */
export interface CodePlace {
  line: number;
  column: number;
}

/** A part of a redacted program with its line numbers. */
export interface CodeExcerpt {
  /**
   * `from` is the column of the first character. `to` is the column after the last character. A
   * line end counts as a character.
   */
  lines: { number: number; from: number; to: number; text: string }[];
}

const [LINES_BEFORE, LINES_AFTER] = [2, 6];
const [LENGTH_BEFORE, LENGTH_AFTER] = [250, 750];

/**
 * The code around each place whose line the preview leaves out or cuts, in the order of the code.
 * Merges overlapping excerpts.
 */
export async function previewPlaces(
  program: Program,
  { lines, isLineCut }: CodePreview,
  places: readonly CodePlace[],
): Promise<CodeExcerpt[]> {
  const { code } = program;
  const unseen = places.filter(({ line }) => line > lines.length || isLineCut[line - 1]);
  if (unseen.length === 0) return [];
  const starts = lineStartsOf(code);
  const spans = joined(unseen.filter(({ line }) => line <= starts.length).map((place) => around(code, starts, place)));
  const redact = await openRedactor(program, spans.at(-1)?.[1] ?? 0);
  const excerpts: CodeExcerpt[] = [];
  for (const [from, to] of spans) {
    excerpts.push({ lines: linesOf(redact([from, to]), { from, to, code, starts }) });
    await setImmediate();
  }
  return excerpts;
}

type Span = [start: number, end: number];

function lineStartsOf(code: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of code.matchAll(new RegExp(LINE_END, 'g'))) starts.push(index + end.length);
  return starts;
}

function around(code: string, starts: readonly number[], { line, column }: CodePlace): Span {
  const at = Math.min(starts[line - 1]! + column - 1, code.length);
  const from = starts[Math.max(0, line - 1 - LINES_BEFORE)]!;
  const to = starts[line + LINES_AFTER] ?? code.length;
  return [Math.max(from, at - LENGTH_BEFORE), Math.min(to, at + LENGTH_AFTER)];
}

function joined(spans: Span[]): Span[] {
  const found: Span[] = [];
  for (const [from, to] of [...spans].sort(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

function linesOf(
  text: string,
  { from, to, code, starts }: { from: number; to: number; code: string; starts: readonly number[] },
): CodeExcerpt['lines'] {
  const first = starts.findLastIndex((start) => start <= from);
  const lines = text.split(LINE_END);
  // A line end at the end of the excerpt starts no further line.
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const isCutAtEnd = to < code.length && !starts.includes(to);
  return lines.map((line, index) => {
    const before = index === 0 && from > starts[first]! ? '… ' : '';
    const after = index === lines.length - 1 && isCutAtEnd ? ' …' : '';
    const start = starts[first + index]!;
    const end = Math.min(to, starts[first + index + 1] ?? code.length);
    const columns = { from: Math.max(from, start) - start + 1, to: end - start + 1 };
    return { number: first + index + 1, ...columns, text: `${before}${escapeHidden(line)}${after}` };
  });
}
