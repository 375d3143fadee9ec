/**
 * About how many tokens a language model reads a text as. Texts are parted as the tokenizers of GPT models part them (words with the space
 * or sign before them, digits by threes, runs of signs, white space); a word counts one for every six letters begun, since common words are
 * one token and rare ones several. Meant for comparing texts of the same language with each other, and for limits with room to spare.
 */
export function estimateTokens(text: string): number {
  const pieces = text.match(PIECES) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.max(1, Math.ceil(piece.trim().length / LETTERS_A_TOKEN)), 0);
}

const PIECES = /'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;
const LETTERS_A_TOKEN = 6;
