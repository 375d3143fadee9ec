import { DECISION_REASON_MAX_LENGTH, EMAIL_MAX_LENGTH } from './limits.ts';
import { escapeHidden } from './preview-input.ts';

/** What an operator said with a signal: why, and who they are. */
export interface ReadNote {
  reason?: string;
  by?: string;
  /** It is none of what may be sent; a decision with such a note does not count. */
  isUnclear?: true;
}

/**
 * Reads what came with an operator's signal: nothing, a sentence, or `{ "reason": …, "by": … }`. Whatever else it is, is unclear: a mistyped
 * name must not decide as somebody else. What is too long is cut, and hidden characters are made visible.
 */
export function readOperatorNote(note: unknown): ReadNote {
  if (note === undefined || note === null) return {};
  if (typeof note === 'string') return texts('reason', note, DECISION_REASON_MAX_LENGTH);
  if (!isNote(note)) return { isUnclear: true };
  return { ...texts('reason', note.reason, DECISION_REASON_MAX_LENGTH), ...texts('by', note.by, EMAIL_MAX_LENGTH) };
}

type Texts = 'reason' | 'by';

function isNote(note: unknown): note is Partial<Record<Texts, string | null>> {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return false;
  return Object.entries(note).every(([name, value]) => ['reason', 'by'].includes(name) && (value === null || typeof value === 'string'));
}

function texts(name: Texts, value: string | null | undefined, maxLength: number): ReadNote {
  if (!value) return {};
  const text = escapeHidden(value.slice(0, maxLength)).trim().slice(0, maxLength);
  return text === '' ? {} : { [name]: text };
}
