import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';

/** What a reviewer wrote: `text` to keep, undefined when empty; `problem` when it can't be kept. */
export interface Reason {
  typed: string;
  text?: string | undefined;
  problem?: string | undefined;
}

/** The reason of a form; browsers send line ends as CR LF and count each as one character. */
export function readReason(value: string): Reason {
  const typed = value.replaceAll('\r\n', '\n');
  const text = typed.trim();
  if (text.length > DECISION_REASON_MAX_LENGTH) {
    return {
      typed,
      problem: `The reason is longer than ${DECISION_REASON_MAX_LENGTH} characters. Nothing was decided yet; shorten it and send again.`,
    };
  }
  if (text.includes('\0'))
    return {
      typed: typed.replaceAll('\0', '\ufffd'),
      problem: 'The reason holds a character that can’t be kept, shown as \ufffd. Nothing was decided yet; remove it and send again.',
    };
  return { typed, text: text || undefined };
}
