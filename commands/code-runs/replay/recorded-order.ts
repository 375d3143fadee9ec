import type { RecordedTimer } from '../../../domain/code-run.ts';
import type { Journal, JournalCall } from '../../../store/journal.ts';

/** What the journal has of one event of the code. */
type RecordedEvent = { call: JournalCall } | { timer: RecordedTimer };

/** When the journal answered an event. */
export interface RecordedPlace {
  event: RecordedEvent;
  /** Running time of the run, in milliseconds. Never before that of an answer that came earlier. */
  atMs: number;
  /** The run's clock then, in epoch milliseconds; null for a timer that never fired. */
  now: number | null;
}

/**
 * The events that the journal can answer, in the order of their answers. After those that the code
 * got come the outcomes that arrived when the run had ended, and then timers that had not fired.
 */
export function recordedOrder({ calls, timers }: Journal): RecordedPlace[] {
  const answered = calls.filter(({ outcomeBytes }) => outcomeBytes !== null);
  const got = [
    ...answered.filter(({ completionNumber }) => completionNumber !== null).map((call) => ({ call, order: call.completionNumber! })),
    ...timers.filter(({ completionNumber }) => completionNumber !== null).map((timer) => ({ timer, order: timer.completionNumber! })),
  ].sort((one, other) => one.order - other.order);
  const late = answered
    .filter(({ completionNumber }) => completionNumber === null)
    .sort((one, other) => endOf(one) - endOf(other))
    .map((call) => ({ call }));
  const unfired = timers
    .filter(({ completionNumber }) => completionNumber === null)
    .sort((one, other) => one.dueMs - other.dueMs)
    .map((timer) => ({ timer }));
  let atMs = 0;
  return [...got, ...late, ...unfired].map((event): RecordedPlace => {
    atMs = Math.max(atMs, runningTimeOf(event));
    return { event, atMs, now: 'call' in event ? endOf(event.call) : (event.timer.completedAt?.getTime() ?? null) };
  });
}

function runningTimeOf(event: RecordedEvent): number {
  if ('timer' in event) return Number(event.timer.dueMs);
  return (event.call.startedMs ?? 0) + Math.max(0, endOf(event.call) - event.call.startedAt.getTime());
}

function endOf({ finishedAt, startedAt }: JournalCall): number {
  return (finishedAt ?? startedAt).getTime();
}
