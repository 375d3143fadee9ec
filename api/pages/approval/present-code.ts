import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import { previewCode } from '../../../commands/reviews/preview-code.ts';
import { previewPlaces } from '../../../commands/reviews/preview-places.ts';
import type { Program } from '../../../commands/reviews/redact-code.ts';
import { escapeMarkup, highlightCode } from './highlight-code.ts';

/** A program, prepared for a page. */
export interface ShownCode {
  lines: ShownLine[];
  /** The code around marked calls, if their line is cut in `lines` or missing there. */
  excerpts: { lines: ShownLine[]; label: string }[];
  /** Numbers of all shown lines, which links may target. */
  lineNumbers: ReadonlySet<number>;
  /** The size in words, such as "15 lines". */
  size: string;
  /** `isIntact` is true if the stored code has the recorded hash. */
  hash: string;
  isIntact: boolean;
  hiddenLines: string | null;
  /** Number of lines that are not shown. */
  linesLeft: number;
  /** Number of shown lines that are cut. */
  linesCut: number;
}

interface ShownLine {
  number: number;
  /** True for the first occurrence of this line on the page. */
  isTarget: boolean;
  html: string;
  marks: CodeMark[];
  tone: CodeMark['tone'] | null;
}

/** A note on a line, with a link to details on the page. */
export interface CodeMark {
  line: number | null;
  /** Null if the column is not recorded. */
  column: number | null;
  /** Id of the element that the link leads to. */
  target: string;
  words: string;
  name: string;
  /** `look` asks for attention. */
  tone: 'look' | 'done';
}

/**
 * Prepares a program for a page: hides secrets, makes invisible characters visible, and cuts long
 * code.
 */
export async function presentCode(
  { code, codeHash, orgId }: Program & { codeHash: string },
  marks: readonly CodeMark[],
): Promise<ShownCode> {
  const preview = await previewCode({ code, orgId });
  const { lines, hiddenLines, isLineCut, lineCount } = preview;
  const lineNumbers = new Set<number>();
  const marksOf = Map.groupBy(marks, ({ line }) => line);
  return {
    size: lineCount === 1 ? 'one line' : `${lineCount.toLocaleString('en')} lines`,
    lines: layLines(
      lines.map((_, index) => ({ number: index + 1 })),
      await highlightCode(lines),
    ),
    excerpts: await layExcerpts(),
    lineNumbers,
    hash: codeHash,
    isIntact: hashCode(code) === codeHash,
    hiddenLines: listNumbers(hiddenLines),
    linesLeft: lineCount - lines.length,
    linesCut: isLineCut.filter(Boolean).length,
  };

  function layLines(shown: { number: number; from?: number; to?: number }[], html: string[]): ShownLine[] {
    return shown.map(({ number, from = 0, to = Number.POSITIVE_INFINITY }, index) => {
      const isTarget = !lineNumbers.has(number);
      lineNumbers.add(number);
      const marks = (marksOf.get(number) ?? []).filter(({ column }) => (column ?? 1) >= from && (column ?? 1) < to);
      return layLine({ number, isTarget, html: html[index]! }, marks);
    });
  }

  async function layExcerpts(): Promise<ShownCode['excerpts']> {
    const places = marks.slice(0, MAX_PLACES).flatMap(({ line, column }) => (line === null ? [] : [{ line, column: column ?? 1 }]));
    const excerpts: ShownCode['excerpts'] = [];
    for (const { lines } of await previewPlaces({ code, orgId }, preview, places)) {
      const [from, to] = [lines[0]!.number, lines.at(-1)!.number];
      const label = from === to ? `line ${from}` : `lines ${from} to ${to}`;
      const isTwice = excerpts.some((other) => other.label === label);
      // Excerpts are not highlighted: if an excerpt begins inside a string, its colours are wrong.
      const html = lines.map(({ text }) => escapeMarkup(text));
      excerpts.push({ lines: layLines(lines, html), label: isTwice ? `${label}, part ${excerpts.length + 1}` : label });
    }
    return excerpts;
  }
}

/** The maximum number of calls of a run. */
const MAX_PLACES = 200;

function layLine(line: Pick<ShownLine, 'number' | 'isTarget' | 'html'>, marks: CodeMark[]): ShownLine {
  const isToLookAt = marks.some(({ tone }) => tone === 'look');
  return { ...line, marks, tone: isToLookAt ? 'look' : marks.length > 0 ? 'done' : null };
}

/** The lines of a program that pages show. `isWhole` is true if no line is left out or cut. */
export async function linesOf(program: Program): Promise<{ lines: string[]; isWhole: boolean }> {
  const { lines, isLineCut, lineCount } = await previewCode(program);
  return { lines, isWhole: lines.length === lineCount && !isLineCut.includes(true) };
}

const MAX_NUMBERS = 20;

function listNumbers(numbers: number[]): string | null {
  if (numbers.length === 0) return null;
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.slice(0, MAX_NUMBERS).join(', ')}${more}`;
}
