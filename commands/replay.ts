import type { CallOutcome } from '../domain/call.ts';
import type { Completion } from '../sandbox/pass.ts';
import type { Journal } from '../store/journal.ts';

/** What the journal has, in the order in which it was delivered. */
export function replayOf({ calls, timers }: Journal): { order: number; completion: Completion }[] {
  return [
    ...calls.flatMap(({ callNumber, completionNumber, finishedAt, outcome }) =>
      outcome && completionNumber !== null
        ? [{ order: completionNumber, completion: toCompletion(callNumber!, finishedAt!, outcome) }]
        : [],
    ),
    ...timers.flatMap(({ number, completionNumber, completedAt }) =>
      completionNumber !== null
        ? [{ order: completionNumber, completion: toCompletion(number, completedAt!, { ok: true, output: null }) }]
        : [],
    ),
  ].sort((a, b) => a.order - b.order);
}

/** The outcome of a call or timer as the code hears of it. */
export function toCompletion(number: number, now: Date, outcome: CallOutcome): Completion {
  if (outcome.ok) return { number, now: now.getTime(), ok: true, value: JSON.stringify(outcome.output ?? null) };
  return { number, now: now.getTime(), ok: false, error: { code: outcome.error.code, message: outcome.error.message } };
}
