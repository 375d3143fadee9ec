import pLimit from 'p-limit';
import { CODE_RUN } from '../../../domain/limits.ts';
import { retry } from '../../../infra/concurrency/retry.ts';
import { whileDatabaseUnavailable } from '../../../infra/database.ts';
import type { PassHost, SandboxEvent } from '../../../sandbox/host/pass.ts';
import type { Journal } from '../../../store/journal.ts';
import { listOutcomes } from '../../../store/journal-outcomes.ts';
import { hashJson } from '../../calls/hash-call.ts';
import type { Gateway } from '../../gateway.ts';
import { Completions } from './completions.ts';
import type { BegunPass } from './pass.ts';
import { type CallEvent, PassCalls } from './pass-calls.ts';
import { PassTimers, type TimerEvent } from './pass-timers.ts';
import { openPastEvents, type PastEvents } from './past-events.ts';
import { replayOf } from './replay.ts';

/**
 * Answers the requests of a pass's code. Answers that an earlier pass recorded come from the
 * journal.
 */
export class PassJournalHost implements PassHost {
  readonly onLogs: NonNullable<PassHost['onLogs']>;
  readonly #past: PastEvents;
  readonly #completions: Completions;
  readonly #calls: PassCalls;
  readonly #timers: PassTimers;
  readonly #inFlight = pLimit(CODE_RUN.maxCallsInFlight);
  #isClosed = false;

  constructor(gateway: Gateway, pass: BegunPass, journal: Journal, onLogs: NonNullable<PassHost['onLogs']>) {
    const startedAt = performance.now();
    const runningMs = () => pass.run.runningMs + performance.now() - startedAt;
    const readOutcomes = (callIds: readonly string[]) =>
      retry(whileDatabaseUnavailable(pass.signal), () => listOutcomes(gateway.db, callIds));
    this.onLogs = onLogs;
    this.#past = openPastEvents(journal, pass.run.replayVersion, pass.surface);
    this.#completions = new Completions(replayOf(journal, readOutcomes));
    this.#calls = new PassCalls(gateway, pass, journal, { completions: this.#completions, runningMs });
    this.#timers = new PassTimers(gateway, pass, { completions: this.#completions, runningMs });
  }

  /**
   * Throws RunFailure if the events differ from the record. All events are compared before any
   * takes effect.
   */
  onEvents(events: SandboxEvent[]): void {
    const calls = events.filter(isCall).map((event) => this.#readCall(event));
    const timers = events.filter(isTimer).map((event) => {
      const recorded = this.#past.timer(event);
      this.#completions.issued(event.number);
      return { event, recorded };
    });
    for (const start of calls) start();
    this.#timers.start(timers);
  }

  nextCompletion(): ReturnType<PassHost['nextCompletion']> {
    return this.#completions.next();
  }

  assertRepeated(): void {
    this.#past.assertRepeated();
  }

  /**
   * Marks as unknown the calls that an earlier pass left in flight and that this pass did not
   * repeat.
   */
  abandonCalls(): Promise<void> {
    return this.#calls.abandonRest();
  }

  /** Prevents new calls and timers. Resolves when all calls in flight are recorded. */
  async callsEnded(): Promise<void> {
    this.close();
    await this.#completions.callsEnded();
  }

  /** Prevents new calls and timers. Calls in flight are still recorded when they end. */
  close(): void {
    this.#isClosed = true;
    this.#timers.close();
  }

  /** The returned function starts the call, unless its outcome is recorded. */
  #readCall(event: CallEvent): () => void {
    const input: unknown = JSON.parse(event.input);
    const requestHash = hashJson([event.alias, event.action, input]);
    const recorded = this.#past.call(event, requestHash);
    this.#completions.issued(event.number);
    if (recorded && recorded.outcomeBytes !== null) return () => {};
    const make = async () => {
      if (!this.#isClosed && !this.#completions.hasFailed()) await this.#calls.make({ event, input, requestHash, recorded });
    };
    return () => this.#completions.follow(this.#inFlight(make), { isCall: true });
  }
}

function isCall(event: SandboxEvent): event is CallEvent {
  return event.kind === 'call';
}

function isTimer(event: SandboxEvent): event is TimerEvent {
  return event.kind === 'timer';
}
