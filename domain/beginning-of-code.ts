/** How much of a program is read, in characters; each line counts as far as it is read. */
export interface ReadAtMost {
  length: number;
  lineLength: number;
}

/** The beginning of a program, and of each of its lines. */
export interface BeginningOfCode {
  code: string;
  /** Where in the source it stops being read. */
  end: number;
  /** Numbers, from 1, of the lines of which something is left out. */
  cutLines: number[];
  /** Where in `code` a place of the source is; of one that is left out, where it would be. */
  placeOf(offset: number): number;
}

/** Where a line of a program ends, as JavaScript counts them. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Cuts a program at its end and at the ends of its long lines; a place in it can be told in what is left. */
export function beginningOfCode(source: string, { length, lineLength }: ReadAtMost): BeginningOfCode {
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
    if (code.length < length) code += lineEnd[0];
    else break;
  }
  return { code, end, cutLines, placeOf };

  function placeOf(offset: number): number {
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
