import type { Call } from '../domain/call.ts';
import { previewInput } from '../domain/preview-input.ts';
import type { PredictedCall } from '../sandbox/plan.ts';
import type { CutInput } from './describe-plan.ts';

/** The input of a predicted call as a reviewer sees it. */
export interface PlannedInput {
  /** Undefined where nothing of it is shown. */
  shown: { value: unknown } | undefined;
  /** Null where all of it is shown. */
  cut: CutInput | null;
  /** Within `input`. */
  redactedPaths: string[];
}

/** Characters that are looked at: of the calls that need a person, and of the others. */
const MAX_READ_OF_GATED = 100_000;
const MAX_READ_OF_OTHERS = 30_000;

/**
 * Previews the known inputs of a plan. Those of the calls that need a person have a budget of their own, in which each has an equal share and
 * short ones leave theirs to the longer: whatever else a program holds, something of each is shown, and of each is told how much is not. `hide` are
 * values that show nowhere.
 */
export function previewPlannedInputs(
  calls: readonly PredictedCall[],
  gated: ReadonlyMap<PredictedCall, Call>,
  hide: readonly string[],
): Map<PredictedCall, PlannedInput> {
  const inputs = calls.flatMap((predicted) => {
    const call = gated.get(predicted);
    const input = predicted.inputKnown ? (call?.input ?? predicted.input) : undefined;
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
    const paths = hiddenPaths.map((path) => `input.${path}`);
    const seen = isShown ? previewInput({ input }, paths, hide, budget) : { preview: {}, redactedPaths: [], leftOut: length };
    previews.set(predicted, {
      shown: isShown ? { value: seen.preview.input } : undefined,
      cut: seen.leftOut ? { length, shownLength: Math.max(0, length - seen.leftOut) } : null,
      redactedPaths: seen.redactedPaths,
    });
    return Math.min(share, share - budget.left);
  }
}
