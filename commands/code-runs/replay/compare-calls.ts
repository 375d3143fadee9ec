import type { JournalCall } from '../../../store/journal.ts';
import type { ReplayedCall } from './replay-host.ts';

/**
 * How a replayed call compares with the record. `moved`: in another order. `beyond`: made after the
 * end of a run that was cut short. `not_reached`: the replay stopped before the recorded call.
 */
export type CallDifference = 'same' | 'input' | 'action' | 'added' | 'missing' | 'moved' | 'beyond' | 'not_reached';

/** A recorded call, a replayed call, or both side by side. */
export interface ComparedCall {
  is: CallDifference;
  recorded: JournalCall | null;
  replayed: ReplayedCall | null;
}

interface Comparison {
  /** The recorded calls in the order of their numbers. */
  recorded: readonly JournalCall[];
  /** The replayed calls in the order in which they were made. */
  replayed: readonly ReplayedCall[];
  /** True if people or the service ended the run before its program ended. */
  isCutShort: boolean;
  /** True if the replay ended before its program did. */
  isStopped: boolean;
}

/** Compares recorded and replayed calls side by side, in the order of the replay. */
export function compareCalls({ recorded, replayed, isCutShort, isStopped }: Comparison): ComparedCall[] {
  const places = new Map(recorded.map((call, place) => [call, place]));
  const isMatched = new Set(replayed.map(({ record }) => record));
  const rows: ComparedCall[] = [];
  let next = 0;
  const missUntil = (end: number, is: CallDifference) => {
    for (; next < end; next += 1) if (!isMatched.has(recorded[next]!)) rows.push({ is, recorded: recorded[next]!, replayed: null });
  };
  for (const call of replayed) {
    const place = call.record && places.get(call.record)!;
    if (place === undefined) {
      const other = recorded[next];
      const isPair = other !== undefined && !isMatched.has(other);
      if (isPair) next += 1;
      const alone = isCutShort && next >= recorded.length ? 'beyond' : 'added';
      rows.push({ is: isPair ? pairOf(call, other) : alone, recorded: isPair ? other : null, replayed: call });
    } else if (place < next) {
      rows.push({ is: 'moved', recorded: call.record!, replayed: call });
    } else {
      const overtakes = recorded.slice(next, place).some((other) => isMatched.has(other));
      missUntil(place, 'missing');
      next = place + 1;
      rows.push({ is: overtakes ? 'moved' : 'same', recorded: call.record!, replayed: call });
    }
  }
  missUntil(recorded.length, isStopped ? 'not_reached' : 'missing');
  return rows;
}

function pairOf({ alias, action }: ReplayedCall, { integrationAlias, actionName }: JournalCall): 'input' | 'action' {
  return alias === integrationAlias && action === actionName ? 'input' : 'action';
}

/**
 * The index of the first row that differs; -1 if none does. The rows `beyond` and `not_reached` do
 * not count.
 */
export function firstDifference(rows: readonly ComparedCall[]): number {
  return rows.findIndex(({ is }) => is !== 'same' && is !== 'beyond' && is !== 'not_reached');
}
