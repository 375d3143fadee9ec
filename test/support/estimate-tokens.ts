/**
 * Estimates the number of tokens that a language model counts in a text.
 * The text is split as GPT tokenizers split it: words with the preceding space or sign, digits in
 * groups of three, runs of signs, and white space. Each piece counts one token per six characters,
 * rounded up, and at least one token. White space at the edges of a piece does not count.
 * Use the estimate to compare texts of one language, and for limits with a margin.
 */
export function estimateTokens(text: string): number {
  const pieces = text.match(PIECES) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.max(1, Math.ceil(piece.trim().length / LETTERS_A_TOKEN)), 0);
}

const PIECES = /'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;
const LETTERS_A_TOKEN = 6;
