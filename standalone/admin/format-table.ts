import { escapeHidden } from '../../domain/redaction/visible-text.ts';

const GAP = 2;
const CUT = '…';

/**
 * A table with aligned columns. `width`: in terminal cells. Shows control characters as escapes.
 */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const lines = [heading, ...rows].map((row) => row.map((cell) => escapeHidden(cell).replace(/\s+/g, ' ')));
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => cellsOf(line[column] ?? ''))));
  return lines
    .map((line) =>
      cut(
        line
          .map((cell, column) => pad(cell, widths[column]! + GAP))
          .join('')
          .trimEnd(),
        width,
      ),
    )
    .join('\n');
}

function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}

function cut(line: string, width: number | undefined): string {
  if (width === undefined || cellsOf(line) <= width) return line;
  let kept = '';
  let cells = 0;
  for (const character of charactersOf(line)) {
    cells += cellsOfCharacter(character);
    if (cells >= width) break;
    kept += character;
  }
  return kept + CUT;
}

function cellsOf(text: string): number {
  return charactersOf(text).reduce((sum, character) => sum + cellsOfCharacter(character), 0);
}

const SEGMENTER = new Intl.Segmenter();

/** A letter with its accents is one character. */
function charactersOf(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

/** East Asian characters and emoji take two cells. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function cellsOfCharacter(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}
