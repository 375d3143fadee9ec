import type { RecordedTimer } from '../../../domain/code-run.ts';
import type { Journal, JournalCall } from '../../../store/journal.ts';

type RecordedEvent = { call: JournalCall } | { timer: RecordedTimer };

/** An event of the code, and the time of its recorded answer. */
export interface RecordedPlace {
  event: RecordedEvent;
  /** Running time of the run. Never less than the running time of an earlier answer. */
  atMs: number;
  /** The clock of the run, in epoch milliseconds. Null for a timer that never fired. */
  now: number | null;
}

/**
 * All timers, and the calls with an outcome. Delivered events come first, in the order of delivery.
 * Calls that ended too late follow, then timers that had not fired.
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
