import { OPERATOR_CODE } from '../limits.ts';

/** Shown in place of an operator code. */
export const CODE_HIDDEN = '[operator code]';

/** Pasting can leave white space and invisible characters inside a code. */
const BREAK = '[\\s\\p{Cf}\\p{Cc}]';

/**
 * Matches a code that is complete, broken or cut off. Matches at every `opc_`, so a search takes
 * linear time.
 */
const CODE_LIKE = new RegExp(`opc_(?:[\\w-]|${BREAK})*(?:\\.${BREAK}*(?:[\\w-]${BREAK}*){42}[\\w-])?`, 'gu');

/** A part of a code. It is hidden too, because from most of a signature the rest can be guessed. */
const FRAGMENT = /opc_[\w-]{8,}(?:\.[\w-]*)?/g;

const BREAKS = new RegExp(BREAK, 'gu');

/** Returns everything that has the form of an operator code, unverified, in linear time. */
export function findOperatorCodes(text: string): string[] {
  const found = (text.match(CODE_LIKE) ?? []).map((like) => like.replace(BREAKS, ''));
  return found.map((joined) => joined.slice(joined.lastIndexOf('opc_'))).filter(isOperatorCode);
}

/** Whether a text has the form of an operator code, unverified. */
export function isOperatorCode(text: string): boolean {
  return text.length <= OPERATOR_CODE.maxLength && OPERATOR_CODE.pattern.test(text);
}

/** Replaces each operator code, complete or cut off, with a marker. Takes linear time. */
export function hideOperatorCodes(text: string): string {
  if (!text.includes('opc_')) return text;
  const hidden = text.replace(CODE_LIKE, (found) => (found.includes('.') ? CODE_HIDDEN : found));
  return hidden.replace(FRAGMENT, CODE_HIDDEN);
}
