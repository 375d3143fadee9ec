import { escapeHidden } from '../../domain/redaction/visible-text.ts';
import { LINE_END } from '../../domain/truncate-code.ts';
import { type Program, redactCode } from './redact-code.ts';

/**
 * A program for reviewers, by line. Secrets in literals and comments are hidden, invisible
 * characters are escaped, and long code is cut.
 */
export interface CodePreview {
  lines: string[];
  /** Line numbers from 1. */
  hiddenLines: number[];
  isLineCut: boolean[];
  lineCount: number;
}

const MAX_LINES = 1000;
const MAX_LENGTH = 32 * 1024;
const MAX_LINE_LENGTH = 2000;

/**
 * Number of characters at the end of a cut line that are read but not shown. They can be the
 * beginning of a secret.
 */
const UNSURE_END = 500;

/** Previews the beginning of a program. */
export async function previewCode(program: Program): Promise<CodePreview> {
  const atMost = { length: MAX_LENGTH + UNSURE_END, lineLength: MAX_LINE_LENGTH + UNSURE_END };
  const { lines: redacted, hiddenLines, cutLines } = await redactCode(program, atMost);
  const unsure = new Set(cutLines);
  const whole = redacted.map(escapeHidden);
  const lines = fitting(whole).map((line, index) => cutLine(line, unsure.has(index + 1)));
  return {
    lines,
    hiddenLines: hiddenLines.filter((number) => number <= lines.length),
    isLineCut: lines.map((line, index) => line !== whole[index]),
    lineCount: program.code.split(LINE_END).length,
  };
}

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
