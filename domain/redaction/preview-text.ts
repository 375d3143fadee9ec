import type { HideSecrets } from './hide-secrets.ts';
import { redactText } from './redact-text.ts';
import { cutText, escapeHidden, MAX_TEXT } from './visible-text.ts';

/** Number of characters that may still be read. Several previews can share a budget. */
export interface PreviewBudget {
  left: number;
}

/** The settings and counters of previewing the texts of one input. */
export interface PreviewText {
  hideValues: HideSecrets;
  budget: PreviewBudget;
  /** Number of characters that were left out. */
  leftOut: number;
}

/**
 * Length of the beginning of a text that is read and redacted, in characters. It is longer than the
 * shown part, so that a secret at the end of the shown part is redacted completely.
 */
const REDACTED_TEXT = 2 * MAX_TEXT;
/**
 * Number of characters at the end of this beginning that are never shown, if the text is longer.
 * They could be the first half of a secret.
 */
const UNSURE_END = 500;

/**
 * Returns a text as a reviewer sees it: redacted, escaped and cut. Charges the budget. Counts the
 * characters that are left out.
 */
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

/** Words that are too short for a credential. Most keys and numbers are such words. */
const SHORT_WORD = /^\w{1,10}$/;

/**
 * Returns how many characters of the next text may be shown. This is the rest of the budget, but at
 * least MIN_SHOWN and at most MAX_TEXT.
 */
export function maxShown({ budget }: PreviewText): number {
  return Math.min(MAX_TEXT, Math.max(budget.left, MIN_SHOWN));
}

/** Enough characters for a reviewer to recognize a text. */
const MIN_SHOWN = 200;

/** Returns the length of a value as JSON. It is at least 1, so that every omitted value counts. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length || 1;
}
