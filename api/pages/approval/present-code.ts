import { hashCode } from '../../../commands/plan-code-run.ts';
import { previewCode } from '../../../commands/preview-code.ts';
import { previewPlaces } from '../../../commands/preview-places.ts';
import type { Program } from '../../../commands/redact-code.ts';
import { escapeMarkup, highlightCode } from './highlight-code.ts';

/** A program as the page shows it. */
export interface ShownCode {
  lines: ShownLine[];
  /** What stands around the marked places that are not among those lines. */
  excerpts: { lines: ShownLine[]; label: string }[];
  /** Of lines that something on the page may lead to. */
  lineNumbers: ReadonlySet<number>;
  /** How long all of it is: "15 lines". */
  size: string;
  /** Of the program as it was sent; `isIntact` when what is shown here is what that hash is of. */
  hash: string;
  isIntact: boolean;
  /** Numbers of the lines of which something is hidden, as words. */
  hiddenLines: string | null;
  /** How many lines there are that are not shown, and how many are cut. */
  linesLeft: number;
  linesCut: number;
}

export interface ShownLine {
  number: number;
  /** The first on the page with this number. */
  isTarget: boolean;
  html: string;
  marks: CodeMark[];
  tone: CodeMark['tone'] | null;
}

/** What is said of a line, with a link to where more of it stands on the page. */
export interface CodeMark {
  line: number | null;
  /** Null: not kept. */
  column: number | null;
  /** Id of an element. */
  target: string;
  words: string;
  name: string;
  /** `done`: nothing that a reader has to look at. */
  tone: 'look' | 'done';
}

/** Lays out a program: secrets in its literals and comments hidden, hidden characters visible, long code cut and saying so. */
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
      // Never coloured: where a part begins within a text, code would look like text, and text like code.
      const html = lines.map(({ text }) => escapeMarkup(text));
      excerpts.push({ lines: layLines(lines, html), label: isTwice ? `${label}, part ${excerpts.length + 1}` : label });
    }
    return excerpts;
  }
}

/** As many as a run may make calls. */
const MAX_PLACES = 200;

function layLine(line: Pick<ShownLine, 'number' | 'isTarget' | 'html'>, marks: CodeMark[]): ShownLine {
  const isToLookAt = marks.some(({ tone }) => tone === 'look');
  return { ...line, marks, tone: isToLookAt ? 'look' : marks.length > 0 ? 'done' : null };
}

/** A program's lines as the page shows them, and whether those are all there is. */
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
