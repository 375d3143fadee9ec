import { previewInput } from '../../domain/redaction/preview-input.ts';

/**
 * How a part of a run is shown: `deleted` after its retention time, `withheld` from readers who
 * must not see it, `too_large` to be shown here.
 */
export const SHOWN = ['none', 'shown', 'deleted', 'withheld', 'too_large'] as const;
export type Shown = (typeof SHOWN)[number];

/** Previews a value; the values in `hide` are hidden everywhere. */
export function previewValue(value: unknown, hide: readonly string[]): unknown {
  return previewInput({ value }, [], hide).preview.value;
}

/** Previews an error. If it is withheld, only its code is shown. */
export function previewError<Kind extends { code: string; message: string }>(
  error: Kind,
  hide: readonly string[] | undefined,
  isWithheld: boolean,
): Kind {
  return { ...error, message: isWithheld || !hide ? 'The error message is not shown here.' : String(previewValue(error.message, hide)) };
}
