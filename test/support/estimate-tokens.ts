/**
 * Estimates the number of tokens of a text, split as GPT tokenizers split it. Use the estimate only
 * for comparisons, and for limits with a margin.
 */
export function estimateTokens(text: string): number {
  const pieces = text.match(PIECES) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.max(1, Math.ceil(piece.trim().length / LETTERS_A_TOKEN)), 0);
}

const PIECES = /'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;
const LETTERS_A_TOKEN = 6;
