/** In characters. */
export interface CodeLimits {
  length: number;
  lineLength: number;
}

/** A truncated program with truncated lines. */
export interface TruncatedCode {
  code: string;
  /** The offset in the source where the text of the last line of `code` ends. */
  end: number;
  /** Numbers of the truncated lines, from 1. */
  cutLines: number[];
  /** Maps an offset of the source to `code`. Removed text maps to the place of its removal. */
  offsetInCode(offset: number): number;
}

/** A line terminator of JavaScript. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Truncates a program and its long lines. */
export function truncateCode(source: string, { length, lineLength }: CodeLimits): TruncatedCode {
  const gaps: { from: number; to: number; before: number }[] = [];
  const cutLines: number[] = [];
  let [code, at, end] = ['', 0, 0];
  for (let number = 1; at <= source.length && (number === 1 || code.length < length); number += 1) {
    const rest = new RegExp(LINE_END, 'g');
    rest.lastIndex = at;
    const lineEnd = rest.exec(source);
    const ends = lineEnd?.index ?? source.length;
    end = Math.min(ends, at + lineLength, at + length - code.length);
    code += source.slice(at, end);
    if (end < ends) {
      cutLines.push(number);
      gaps.push({ from: end, to: ends, before: code.length });
    }
    if (!lineEnd) break;
    at = ends + lineEnd[0].length;
    code += lineEnd[0].slice(0, length - code.length);
  }
  return { code, end, cutLines, offsetInCode };

  function offsetInCode(offset: number): number {
    let [low, high] = [0, gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (gaps[middle]!.from <= offset) low = middle + 1;
      else high = middle;
    }
    const gap = gaps[low - 1];
    if (!gap) return Math.min(offset, code.length);
    return Math.min(gap.before + Math.max(0, offset - gap.to), code.length);
  }
}
