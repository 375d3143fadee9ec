import { type TokenType, tokTypes } from 'acorn';
import { tokenizeProgram } from './parse-program.ts';

/**
 * Where a type assertion (`<T>x`) stands within many others, if one does. A stripper of types takes each for two things, and so twice the
 * time for what stands in it; this look takes a time that grows with the length of the text.
 */
export function nestedAssertion(text: string): number | undefined {
  /** For each bracket that is open, and outside of them all: whether an assertion stands in front of what comes next. */
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
    // Behind what is no token nothing is looked at; a deadline ends what takes too long.
  }
  return undefined;
}

const MOST = 8;
const OPENING = new Set<TokenType>([tokTypes.braceL, tokTypes.dollarBraceL, tokTypes.bracketL, tokTypes.parenL]);
const CLOSING = new Set<TokenType>([tokTypes.braceR, tokTypes.bracketR, tokTypes.parenR]);

/** Not behind a value: there it is smaller, or has type arguments. */
function startsValue(before: TokenType | undefined): boolean {
  return before === undefined || before === tokTypes.braceR || (before as TokenType & { beforeExpr: boolean }).beforeExpr;
}
