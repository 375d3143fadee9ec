import { type Comment, type Token, type TokenType, tokTypes } from 'acorn';
import { PARSE_OPTIONS, parseProgram, tokenizeProgram } from './parse-program.ts';

/** A range of offsets; `end` is exclusive. */
export type Span = [start: number, end: number];

/**
 * The parts of a program that are only text or numbers. Sorted, with offsets in the source as it
 * was sent.
 */
export interface Literals {
  /** Contents of strings, templates (without their expressions) and regular expressions. */
  texts: Span[];
  /** Texts that name a member, as in `svc["alias"]`, and so show what the program does. */
  names: Span[];
  /** Numbers that are a whole value. */
  numbers: Span[];
  comments: Span[];
  /** End of the part that was read: the end of the source, or the first invalid token. */
  readTo: number;
}

/**
 * Finds at least the literals in the first `length` characters; in code that does not parse, those
 * before the first invalid token. `text`: the prepared source.
 */
export function findLiterals(source: string, text: string, length: number): Literals {
  const { tokens, comments, isCutShort } = readTokens(text, length);
  const readTo = isCutShort ? (tokens.at(-1)?.end ?? 0) : source.length;
  const found: Literals = { texts: [], names: [], numbers: [], comments: comments.map(insideOf), readTo };
  const open: boolean[] = [];
  for (const [index, token] of tokens.entries()) {
    const { type, start, end } = token;
    if (OPENING.has(type)) open.push(namesMember(tokens, index, open));
    else if (CLOSING.has(type)) open.pop();
    else if (type === tokTypes.num && isWholeValue(source, tokens, index)) found.numbers.push([start, end]);
    const inside = insideText(source, token);
    if (inside) (open.at(-1) ? found.names : found.texts).push(inside);
  }
  return found;
}

interface Tokens {
  tokens: Token[];
  comments: Comment[];
  /** Whether an invalid token follows. */
  isCutShort: boolean;
}

/**
 * Uses the parser, because hostile code can make a tokenizer mistake code for a regular expression.
 */
function readTokens(text: string, length: number): Tokens {
  const read: Tokens = { tokens: [], comments: [], isCutShort: false };
  const onToken = (token: Token) => {
    read.tokens.push(token);
    if (token.start >= length) throw new ReadEnoughError();
  };
  try {
    parseProgram(text, { ...PARSE_OPTIONS, onToken, onComment: read.comments });
  } catch (error) {
    if (!(error instanceof ReadEnoughError)) return tokenize(text, length);
  }
  return read;
}

class ReadEnoughError extends Error {}

function tokenize(text: string, length: number): Tokens {
  const read: Tokens = { tokens: [], comments: [], isCutShort: false };
  try {
    for (const token of tokenizeProgram(text, { ...PARSE_OPTIONS, onComment: read.comments })) {
      read.tokens.push(token);
      if (token.start >= length) break;
    }
  } catch {
    read.isCutShort = true;
  }
  return read;
}

function insideOf({ type, value, end }: Comment): Span {
  const close = type === 'Block' ? end - 2 : end;
  return [close - value.length, close];
}

const OPENING = new Set<TokenType>([tokTypes.braceL, tokTypes.dollarBraceL, tokTypes.bracketL, tokTypes.parenL]);
const CLOSING = new Set<TokenType>([tokTypes.braceR, tokTypes.bracketR, tokTypes.parenR]);

function namesMember(tokens: Token[], index: number, open: boolean[]): boolean {
  const { type } = tokens[index]!;
  if (type === tokTypes.parenL) return open.at(-1) ?? false;
  const before = tokens[index - 1]?.type;
  return type === tokTypes.bracketL && before !== undefined && !(before as { beforeExpr?: boolean }).beforeExpr;
}

const BEFORE_VALUE = new Set<TokenType>([tokTypes.eq, tokTypes.colon, tokTypes.comma, tokTypes.bracketL, tokTypes.parenL]);
const AFTER_VALUE = new Set<TokenType>([
  ...[tokTypes.comma, tokTypes.semi, tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR, tokTypes.eof],
]);

function isWholeValue(source: string, tokens: Token[], index: number): boolean {
  const [before, number, after] = [tokens[index - 1], tokens[index]!, tokens[index + 1]];
  if (before && !BEFORE_VALUE.has(before.type)) return false;
  if (!after || AFTER_VALUE.has(after.type)) return true;
  // A word on a new line starts a statement, except the operators `in` and `instanceof`.
  return (
    /[\n\r\u2028\u2029]/.test(source.slice(number.end, after.start)) &&
    /^(?!in\b|instanceof\b)[\w$]/.test(source.slice(after.start, after.start + 12))
  );
}

function insideText(source: string, { type, start, end }: Token): Span | undefined {
  if (type === tokTypes.string) return [start + 1, end - 1];
  if (type === tokTypes.template || type === tokTypes.invalidTemplate) return [start, end];
  return type === tokTypes.regexp ? [start + 1, source.lastIndexOf('/', end - 1)] : undefined;
}
