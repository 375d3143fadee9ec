import { tokTypes } from 'acorn';
import { tokenizeProgram } from './parse-program.ts';

/**
 * The offset of the first unmatched `}` before the offset `before`. The type stripper takes such a
 * brace for the end of the function around the text.
 */
export function unmatchedBrace(text: string, before: number): number | undefined {
  let open = 0;
  try {
    for (const { type, start } of tokenizeProgram(text)) {
      if (start >= before) break;
      if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) open += 1;
      if (type === tokTypes.braceR && --open < 0) return start;
    }
  } catch {
    // The text after an invalid token is not checked.
  }
  return undefined;
}
