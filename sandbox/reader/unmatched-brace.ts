import { tokTypes } from 'acorn';
import { tokenizeProgram } from './parse-program.ts';

/**
 * The offset of the first `}` before an offset that closes nothing in the text. The stripper takes
 * it for the end of the function around it.
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
    // Nothing is checked after an invalid token.
  }
  return undefined;
}
