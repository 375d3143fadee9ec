import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';

/** The reason of a reviewer, as read from a form. */
export interface Reason {
  /** The reason as typed, to show it again. */
  typed: string;
  /** Undefined if the reason is empty or invalid. */
  text?: string | undefined;
  problem?: string | undefined;
}

/** Reads a reason. Browsers send a line break as CR LF, but count it as one character. */
export function readReason(value: string): Reason {
  const typed = value.replaceAll('\r\n', '\n');
  const text = typed.trim();
  if (text.length > DECISION_REASON_MAX_LENGTH) {
    return {
      typed,
      problem: `The reason is longer than ${DECISION_REASON_MAX_LENGTH} characters. Nothing is decided yet. Shorten it and send it again.`,
    };
  }
  if (text.includes('\0'))
    return {
      typed: typed.replaceAll('\0', '\ufffd'),
      problem:
        'The reason contains a character that cannot be stored, shown as \ufffd. Nothing is decided yet. Remove it and send it again.',
    };
  return { typed, text: text || undefined };
}
