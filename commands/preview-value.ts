import { previewInput } from '../domain/preview-input.ts';

/** What became of something that a run brought: `deleted` when its time was over, `withheld` from whoever may not see it, `too_large` to be shown here. */
export const SHOWN = ['none', 'shown', 'deleted', 'withheld', 'too_large'] as const;
export type Shown = (typeof SHOWN)[number];

/** A value as every preview shows it, without these secrets. */
export function previewValue(value: unknown, hide: readonly string[]): unknown {
  return previewInput({ value }, [], hide).preview.value;
}

/** What the code or a third party said of a failure, and where; withheld but for its code. */
export function previewError<Kind extends { code: string; message: string }>(
  error: Kind,
  hide: readonly string[] | undefined,
  isWithheld: boolean,
): Kind {
  return { ...error, message: isWithheld || !hide ? 'Its words are not shown here.' : String(previewValue(error.message, hide)) };
}
