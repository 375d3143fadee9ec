import { DECISION_REASON_MAX_LENGTH } from './limits.ts';
import { CODE_HIDDEN, findOperatorCodes, hideOperatorCodes, isOperatorCode } from './redaction/operator-codes-in-text.ts';
import { escapeHidden } from './redaction/visible-text.ts';

/** The note of an operator's signal: a reason, and the code that proves who approves. */
export interface OperatorNote {
  reason?: string;
  /** The code as sent, not verified yet. */
  code?: string;
  /**
   * Other codes in the note. They prove nothing, but must be marked as spent, because the workflow
   * history shows them.
   */
  otherCodes?: string[];
  /** Set if the note has none of the accepted forms. A decision with such a note does not count. */
  isUnclear?: true;
}

/** Maximum number of codes of one note that are marked as spent. */
export const CODES_OF_NOTE = 20;

/** Maximum number of values of one note that are searched for codes. */
const SEARCHED_VALUES = 200_000;

/**
 * Reads the note of an operator's signal: none, a sentence, a code, both, or an object with `code`
 * and `reason`. `more` are further arguments, only searched for codes.
 */
export function readOperatorNote(note?: unknown, ...more: unknown[]): OperatorNote {
  const { codes: own, isUnclear, reason } = read(note);
  const all = [...new Set([...own, ...codesIn(typeof note === 'string' ? more : [note, ...more])])].slice(0, CODES_OF_NOTE);
  const [code, ...otherCodes] = isUnclear ? all : [own[0], ...all.filter((one) => one !== own[0])];
  return {
    ...reason,
    ...(code !== undefined && { code }),
    ...(otherCodes.length > 0 && { otherCodes: otherCodes as string[] }),
    ...(isUnclear && { isUnclear: true as const }),
  };
}

interface Reading {
  codes: string[];
  reason?: { reason?: string };
  isUnclear?: boolean;
}

function read(note: unknown): Reading {
  if (note === undefined || note === null) return { codes: [] };
  if (typeof note === 'string') return readTexts('', note);
  return isNote(note) ? readTexts(note.code ?? '', note.reason ?? '') : { codes: [], isUnclear: true };
}

function readTexts(code: string, reason: string): Reading {
  const codes = [...new Set([...codesOf(code), ...codesOf(reason)])];
  return codes.length > 1 ? { codes, isUnclear: true } : { codes, reason: reasonOf(reason) };
}

function codesOf(text: string): string[] {
  const whole = text.trim();
  return isOperatorCode(whole) ? [whole] : findOperatorCodes(text);
}

/** `by` is ignored, because a signal proves no identity. */
const KEYS = ['reason', 'code', 'by'];

function isNote(note: unknown): note is { reason?: string | null; code?: string | null } {
  if (!isRecord(note) || Object.keys(note).some((key) => !KEYS.includes(key))) return false;
  return isText(note.reason) && isText(note.code) && (!note.code || isCodeAlone(String(note.code)));
}

function isCodeAlone(text: string): boolean {
  return isOperatorCode(text.trim()) || (findOperatorCodes(text).length > 0 && withoutMarkers(hideOperatorCodes(text)) === '');
}

function isRecord(note: unknown): note is Record<string, unknown> {
  return typeof note === 'object' && note !== null && !Array.isArray(note);
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function codesIn(values: unknown[]): string[] {
  const codes = new Set<string>();
  const queue = [...values];
  for (let next = 0; next < Math.min(queue.length, SEARCHED_VALUES) && codes.size < CODES_OF_NOTE; next++) {
    const value = queue[next];
    if (typeof value === 'string') for (const code of findOperatorCodes(value)) codes.add(code);
    if (Array.isArray(value)) for (const item of value.slice(0, SEARCHED_VALUES)) queue.push(item);
    else if (isRecord(value)) for (const key of Object.keys(value).slice(0, SEARCHED_VALUES)) queue.push(key, value[key]);
  }
  return [...codes];
}

function reasonOf(value: string): { reason?: string } {
  const words = withoutMarkers(hideOperatorCodes(value.slice(0, SEARCHED_REASON)));
  const reason = escapeHidden(words.slice(0, DECISION_REASON_MAX_LENGTH)).trim().slice(0, DECISION_REASON_MAX_LENGTH);
  return reason === '' ? {} : { reason };
}

/** Longer than the shown part, so a code at the cut is found whole. */
const SEARCHED_REASON = 2 * DECISION_REASON_MAX_LENGTH;

function withoutMarkers(text: string): string {
  let rest = text.trim();
  while (rest.startsWith(CODE_HIDDEN)) rest = rest.slice(CODE_HIDDEN.length).trim();
  while (rest.endsWith(CODE_HIDDEN)) rest = rest.slice(0, -CODE_HIDDEN.length).trim();
  return rest;
}
