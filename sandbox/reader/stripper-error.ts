/** The offset of an error in `text`. The stripper prints a line and marks the error with `^`. */
export function placeInStripper(text: string, { stack = '' }: SyntaxError): number {
  const number = Number(/^:(\d+)$/m.exec(stack)?.[1] ?? 1);
  let start = 0;
  for (let line = 1; line < number && start <= text.length; line += 1) {
    const end = text.indexOf('\n', start);
    start = end === -1 ? text.length : end + 1;
  }
  const marked = /^( *)\^+$/m.exec(stack)?.[1]?.length ?? 0;
  return start + lengthOf(text.slice(start, start + marked), marked);
}

/** The message in the words of the JavaScript parser. */
export function wordsOfStripper({ message }: SyntaxError): string {
  return /^Unexpected token|^Expected .*<eof>$/.test(message) ? 'Unexpected token' : message;
}

const TAB = 4;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

function lengthOf(line: string, columns: number): number {
  let filled = 0;
  let length = 0;
  for (; length < line.length && filled < columns; length += 1) {
    const character = line[length]!;
    if (character === '\t') filled += TAB - (filled % TAB);
    else filled += WIDE.test(character) ? 2 : 1;
  }
  return length;
}
