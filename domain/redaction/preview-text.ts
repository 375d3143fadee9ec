import type { HideSecrets } from './hide-secrets.ts';
import { redactText } from './redact-text.ts';
import { cutText, escapeHidden, MAX_TEXT } from './visible-text.ts';

/** In characters. Several previews can share a budget. */
export interface PreviewBudget {
  left: number;
}

/** The state of a preview of one input. */
export interface PreviewText {
  hideValues: HideSecrets;
  budget: PreviewBudget;
  leftOut: number;
}

/**
 * In characters. Longer than the shown part, so that a secret at the end of that part is redacted.
 */
const REDACTED_TEXT = 2 * MAX_TEXT;
/** In characters. This end of a cut text is not shown: it could be the beginning of a secret. */
const UNSURE_END = 500;

/** Returns a text as a reviewer sees it: redacted, escaped and cut. Charges the budget. */
export function previewText(preview: PreviewText, text: string): { text: string; isRedacted: boolean } {
  const read = text.slice(0, REDACTED_TEXT);
  const max = maxShown(preview);
  preview.budget.left -= read.length;
  const known = preview.hideValues(text, REDACTED_TEXT);
  const redacted = SHORT_WORD.test(known) ? known : redactText(known);
  const isRedacted = redacted !== read;
  const isWhole = read.length === text.length;
  const [shown, length] = isWhole ? [redacted, redacted.length] : [redacted.slice(0, -UNSURE_END), text.length];
  preview.leftOut += length - Math.min(length, max, shown.length);
  return { text: escapeHidden(cutText(shown, length, max)), isRedacted };
}

/** Too short for a credential. Most field names and numbers match. */
const SHORT_WORD = /^\w{1,10}$/;

/** Returns how many characters of the next text may be shown. */
export function maxShown({ budget }: PreviewText): number {
  return Math.min(MAX_TEXT, Math.max(budget.left, MIN_SHOWN));
}

/** Enough to recognize a text. */
const MIN_SHOWN = 200;

/** Returns the length as JSON, at least 1, so that every omitted value counts. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length || 1;
}
