import type { Call } from '../../domain/call.ts';
import { presetAmong } from '../../domain/redaction/preset-among.ts';
import { previewInput } from '../../domain/redaction/preview-input.ts';
import type { KnownField } from '../../sandbox/plan/known-parts.ts';
import type { PredictedCall } from '../../sandbox/plan/plan.ts';
import type { CutInput } from './describe-plan.ts';

/** The input of a predicted call for reviewers. */
export interface PlannedInput {
  /**
   * `knownInput` has the known fields of an input that is only partly known. Undefined if nothing
   * is shown.
   */
  shown: { input: unknown } | { knownInput: unknown } | undefined;
  /** Null if all that is known of the input is shown. */
  cut: CutInput | null;
  /** Dotted paths. They begin with `input` or `knownInput`. */
  redactedPaths: string[];
  /** The redacted paths that are hidden only because their values are preset. */
  presetPaths: string[];
}

/** Budget in characters for the inputs of all gated calls (calls that need approval). */
const MAX_READ_OF_GATED = 100_000;
/** Budget in characters for the inputs of all other calls. */
const MAX_READ_OF_OTHERS = 30_000;

/**
 * Previews the known inputs of a plan. Gated calls share their own budget, so that a reviewer sees
 * a part of each gated input. Hides the values in `hide` everywhere.
 */
export function previewPlannedInputs(
  calls: readonly PredictedCall[],
  gated: ReadonlyMap<PredictedCall, Call>,
  hide: readonly string[],
): Map<PredictedCall, PlannedInput> {
  const inputs = calls.flatMap((predicted) => {
    const call = gated.get(predicted);
    const input = predicted.inputKnown ? (call?.input ?? predicted.input) : predicted.parts && objectOf(predicted.parts.known);
    return input === undefined ? [] : [{ predicted, input, hiddenPaths: call?.hiddenPaths ?? [], length: JSON.stringify(input).length }];
  });
  const previews = new Map<PredictedCall, PlannedInput>();
  const asked = inputs.filter(({ predicted }) => gated.has(predicted)).sort((one, other) => one.length - other.length);
  let left = MAX_READ_OF_GATED;
  for (const [index, one] of asked.entries()) left -= preview(one, Math.floor(left / (asked.length - index)));
  left = MAX_READ_OF_OTHERS;
  for (const one of inputs) if (!gated.has(one.predicted)) left -= preview(one, left);
  return previews;

  function preview({ predicted, input, hiddenPaths, length }: (typeof inputs)[number], share: number): number {
    const budget = { left: share };
    const isShown = share > 0;
    const name = predicted.inputKnown ? 'input' : 'knownInput';
    const paths = hiddenPaths.map((path) => `${name}.${path}`);
    const seen = isShown ? previewInput({ [name]: input }, paths, hide, budget) : { preview: {}, redactedPaths: [], leftOut: length };
    previews.set(predicted, {
      shown: isShown ? (seen.preview as PlannedInput['shown']) : undefined,
      cut: seen.leftOut ? { length, shownLength: Math.max(0, length - seen.leftOut) } : null,
      redactedPaths: seen.redactedPaths,
      presetPaths: presetAmong(
        seen.redactedPaths.map((path) => path.slice(name.length + 1)),
        hiddenPaths,
      ).map((path) => `${name}.${path}`),
    });
    return Math.min(share, share - budget.left);
  }
}

/**
 * Puts fields into one object. The code chooses their names: a field named `constructor` must not
 * lead to an object of this process.
 */
function objectOf(fields: readonly KnownField[]): Record<string, unknown> {
  const object = emptyObject();
  for (const { path, value } of fields) {
    let at = object;
    for (const key of path.slice(0, -1)) {
      at[key] ??= emptyObject();
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1)!] = value;
  }
  return object;
}

function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}
