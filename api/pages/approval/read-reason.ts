import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';

/** A reviewer's reason: `text` to store, undefined if empty; `problem` if it is invalid. */
export interface Reason {
  typed: string;
  text?: string | undefined;
  problem?: string | undefined;
}

/** Reads the reason of a form. Browsers send line ends as CR LF but count one character. */
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
