import type { Call } from '../../domain/call.ts';
import { previewInput } from '../../domain/redaction/preview-input.ts';
import type { PredictedCall } from '../../sandbox/plan/plan.ts';
import type { CutInput } from './describe-plan.ts';

/** The input of a predicted call as a reviewer sees it. */
export interface PlannedInput {
  /** Undefined if nothing of it is shown. */
  shown: { value: unknown } | undefined;
  /** Null if all of it is shown. */
  cut: CutInput | null;
  /** Dotted paths within the input. */
  redactedPaths: string[];
}

/** Characters read, of the gated calls and of the others. */
const MAX_READ_OF_GATED = 100_000;
const MAX_READ_OF_OTHERS = 30_000;

/**
 * Previews the known inputs of a plan. The gated calls share a budget of their own: each gets an
 * equal share, and short inputs leave the rest to longer ones. So a reviewer sees a part of each
 * gated input, and how much is left out. The values in `hide` are hidden everywhere.
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
