import { hashCode } from '../../../commands/plan-code-run.ts';
import { redactCode } from '../../../commands/redact-code.ts';
import { LINE_END } from '../../../domain/beginning-of-code.ts';
import { escapeHidden } from '../../../domain/preview-input.ts';
import { highlightCode } from './highlight-code.ts';
import type { ShownCall } from './present-program.ts';

/** A program as the page shows it. */
export interface ShownCode {
  lines: ShownLine[];
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
  html: string;
  /** The calls that stand in this line and need approval, by their number in the list of calls. */
  calls: { number: number; tool: string }[];
}

const MAX_LINES = 1000;
const MAX_LENGTH = 32 * 1024;
const MAX_LINE_LENGTH = 2000;

/** Lays out a program: secrets in its literals and comments hidden, hidden characters visible, long code cut and saying so. */
export async function presentCode({ code, codeHash }: { code: string; codeHash: string }, calls: readonly ShownCall[]): Promise<ShownCode> {
  const { lines, hiddenLines, isLineCut } = readLines(code);
  const html = await highlightCode(lines);
  const count = code.split(LINE_END).length;
  return {
    size: count === 1 ? 'one line' : `${count.toLocaleString('en')} lines`,
    lines: html.map((line, index) => ({ number: index + 1, html: line, calls: callsAt(calls, index + 1) })),
    hash: codeHash,
    isIntact: hashCode(code) === codeHash,
    hiddenLines: listNumbers(hiddenLines),
    linesLeft: count - lines.length,
    linesCut: isLineCut.filter(Boolean).length,
  };
}

/** A program's lines as the page shows them, and whether those are all there is. */
export function linesOf(code: string): { lines: string[]; isWhole: boolean } {
  const { lines, isLineCut } = readLines(code);
  return { lines, isWhole: lines.length === code.split(LINE_END).length && !isLineCut.includes(true) };
}

/** Code is redacted further than it is shown: what stands at the end may be half a secret. */
const UNSURE_END = 500;

function readLines(code: string): { lines: string[]; hiddenLines: number[]; isLineCut: boolean[] } {
  const atMost = { length: MAX_LENGTH + UNSURE_END, lineLength: MAX_LINE_LENGTH + UNSURE_END };
  const { lines: redacted, hiddenLines, cutLines } = redactCode(code, atMost);
  const unsure = new Set(cutLines);
  const whole = redacted.map(escapeHidden);
  const shown = fitting(whole).map((line, index) => cutLine(line, unsure.has(index + 1)));
  return {
    lines: shown,
    hiddenLines: hiddenLines.filter((number) => number <= shown.length),
    isLineCut: shown.map((line, index) => line !== whole[index]),
  };
}

/** The lines that one page can hold; at least one. */
function fitting(lines: string[]): string[] {
  let length = 0;
  const end = lines.findIndex((line, index) => {
    length += Math.min(line.length, MAX_LINE_LENGTH);
    return index > 0 && (index >= MAX_LINES || length > MAX_LENGTH);
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function cutLine(line: string, isUnsure: boolean): string {
  const sure = isUnsure ? line.slice(0, -UNSURE_END) : line;
  return isUnsure || sure.length > MAX_LINE_LENGTH ? `${sure.slice(0, MAX_LINE_LENGTH)}… [the rest of this line is not shown]` : line;
}

function callsAt(calls: readonly ShownCall[], line: number): ShownLine['calls'] {
  return calls.flatMap((call, index) => (call.needsApproval && call.line === line ? [{ number: index + 1, tool: call.tool }] : []));
}

const MAX_NUMBERS = 20;

function listNumbers(numbers: number[]): string | null {
  if (numbers.length === 0) return null;
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.slice(0, MAX_NUMBERS).join(', ')}${more}`;
}
