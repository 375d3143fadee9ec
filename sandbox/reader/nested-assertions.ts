import { type TokenType, tokTypes } from 'acorn';
import { tokenizeProgram } from './parse-program.ts';

/**
 * Returns the offset of a type assertion (`<T>x`) that is nested too deeply. Each level doubles the
 * time of a type stripper.
 */
export function nestedAssertion(text: string): number | undefined {
  /** For the top level and each open bracket: whether an assertion is open. */
  const open = [false];
  let depth = 0;
  let before: TokenType | undefined;
  try {
    for (const { type, start } of tokenizeProgram(text)) {
      if (OPENING.has(type)) open.push(false);
      else if (CLOSING.has(type) && open.length > 1) depth -= Number(open.pop());
      else if (type === tokTypes.relational && text[start] === '<' && startsValue(before) && !open.at(-1)) {
        open[open.length - 1] = true;
        depth += 1;
        if (depth > MOST) return start;
      } else if (type === tokTypes.comma || type === tokTypes.semi) {
        depth -= Number(open.at(-1));
        open[open.length - 1] = false;
      }
      before = type;
    }
  } catch {
    // If the stripper takes too long after an invalid token, the thread is ended.
  }
  return undefined;
}

const MOST = 8;
const OPENING = new Set<TokenType>([tokTypes.braceL, tokTypes.dollarBraceL, tokTypes.bracketL, tokTypes.parenL]);
const CLOSING = new Set<TokenType>([tokTypes.braceR, tokTypes.bracketR, tokTypes.parenR]);

/** Whether a value starts here. After a value, `<` is a comparison or opens type arguments. */
function startsValue(before: TokenType | undefined): boolean {
  return before === undefined || before === tokTypes.braceR || (before as TokenType & { beforeExpr: boolean }).beforeExpr;
}
