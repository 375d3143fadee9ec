import { previewInput } from '../../domain/redaction/preview-input.ts';

/**
 * How a part of a run is shown. `deleted`: its retention is over. `withheld`: the reader must not
 * see it.
 */
export const SHOWN = ['none', 'shown', 'deleted', 'withheld', 'too_large'] as const;
export type Shown = (typeof SHOWN)[number];

/** Previews a value. Hides the values in `hide` everywhere. */
export function previewValue(value: unknown, hide: readonly string[]): unknown {
  return previewInput({ value }, [], hide).preview.value;
}

/** Previews an error. Hides its message if the error is withheld, or if `hide` is undefined. */
export function previewError<Kind extends { code: string; message: string }>(
  error: Kind,
  hide: readonly string[] | undefined,
  isWithheld: boolean,
): Kind {
  return { ...error, message: isWithheld || !hide ? 'The error message is not shown here.' : String(previewValue(error.message, hide)) };
}
