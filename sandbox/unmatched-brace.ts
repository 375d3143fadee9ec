import { tokTypes } from 'acorn';
import { tokenizeProgram } from './parse-program.ts';

/** Where the first `}` stands, before an offset, that closes nothing of the text: the stripper takes it for the end of the function around it. */
export function unmatchedBrace(text: string, before: number): number | undefined {
  let open = 0;
  try {
    for (const { type, start } of tokenizeProgram(text)) {
      if (start >= before) break;
      if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) open += 1;
      if (type === tokTypes.braceR && --open < 0) return start;
    }
  } catch {
    // Behind what is no token nothing is looked at.
  }
  return undefined;
}
