import type { CallEntry } from '../../../domain/call.ts';
import { REPLAY_VERSION, type RecordedTimer } from '../../../domain/code-run.ts';
import type { SandboxEvent } from '../../../sandbox/host/pass.ts';
import type { Journal, JournalCall } from '../../../store/journal.ts';
import type { Surface } from '../../surfaces/surface-cache.ts';
import { RunFailure } from '../code-run-errors.ts';

/**
 * The calls and timers that earlier passes recorded. A later pass must repeat each with the same
 * number.
 */
export interface PastEvents {
  /**
   * Undefined for a new call. Throws RunFailure if another event is recorded with the same number.
   */
  call(event: Extract<SandboxEvent, { kind: 'call' }>, requestHash: string): JournalCall | undefined;
  timer(event: Extract<SandboxEvent, { kind: 'timer' }>): RecordedTimer | undefined;
  /** Throws RunFailure if the code stopped before it repeated all recorded events. */
  assertRepeated(): void;
}

/** Throws RunFailure if the record was made under another version of the replay rules. */
export function openPastEvents({ calls, timers }: Journal, replayVersion: number | null, surface: Surface): PastEvents {
  const pastCalls = new Map(calls.map((call) => [call.callNumber!, call]));
  const pastTimers = new Map(timers.map((timer) => [timer.number, timer]));
  const missing = new Set([...pastCalls.keys(), ...pastTimers.keys()]);
  if (missing.size > 0 && replayVersion !== REPLAY_VERSION)
    throw diverged('the service was updated in the meantime, and paused runs of the earlier version cannot continue');

  return {
    call(event, requestHash) {
      missing.delete(event.number);
      const past = pastCalls.get(event.number);
      if (pastTimers.has(event.number) || (past && past.requestHash !== requestHash))
        throw diverged(`${nameOf(event)} differs from the record, which has ${past ? nameOfPast(past) : 'a timer'} there`);
      return past;
    },
    timer(event) {
      missing.delete(event.number);
      const past = pastTimers.get(event.number);
      const call = pastCalls.get(event.number);
      if (call) throw diverged(`a timer of ${event.delayMs} ms differs from the record, which has ${nameOfPast(call)} there`);
      if (past && past.delayMs !== event.delayMs)
        throw diverged(`a timer of ${event.delayMs} ms differs from the record, which has a timer of ${past.delayMs} ms there`);
      return past;
    },
    assertRepeated() {
      const first = Math.min(...missing);
      if (missing.size === 0) return;
      const call = pastCalls.get(first);
      if (!call) throw diverged('a timer that the code had started was not started again');
      const isOffered = surface.find(call.integrationAlias ?? '', call.actionName) !== undefined;
      throw diverged(isOffered ? `${nameOfPast(call)} was not made again` : `${nameOfPast(call)} cannot be called any more`);
    },
  };
}

function nameOf({ alias, action, number }: Extract<SandboxEvent, { kind: 'call' }>): string {
  return `call ${number + 1} (${alias}.${action})`;
}

function nameOfPast({ integrationAlias, actionName, callNumber }: CallEntry): string {
  return `call ${callNumber! + 1} (${integrationAlias}.${actionName})`;
}

/** The error of a run whose code does not repeat its record. */
export function diverged(what: string): RunFailure {
  return new RunFailure(
    'CODE_DIVERGED',
    `The run cannot continue from its record: ${what}. The calls of this run are not repeated. Start a new run.`,
  );
}
