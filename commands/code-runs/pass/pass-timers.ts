import type { RecordedTimer } from '../../../domain/code-run.ts';
import { retry } from '../../../infra/concurrency/retry.ts';
import { isDuplicate, whileDatabaseUnavailable } from '../../../infra/database.ts';
import type { SandboxEvent } from '../../../sandbox/host/pass.ts';
import type { Fence } from '../../../store/fence.ts';
import { finishTimer, insertTimers, type NewTimer } from '../../../store/journal-timers.ts';
import type { Gateway } from '../../gateway.ts';
import { AlarmQueue } from './alarm-queue.ts';
import type { Completions } from './completions.ts';
import type { BegunPass } from './pass.ts';
import { toCompletion } from './replay.ts';

export type TimerEvent = Extract<SandboxEvent, { kind: 'timer' }>;

interface Surroundings {
  completions: Completions;
  runningMs: () => number;
}

/** The timers of a pass. Each timer is recorded when it is set and again when it fires. */
export class PassTimers {
  readonly #db: Gateway['db'];
  readonly #fence: Fence;
  readonly #signal: AbortSignal;
  readonly #completions: Completions;
  readonly #runningMs: () => number;
  readonly #alarms: AlarmQueue;

  constructor({ db }: Gateway, { run, passNumber, signal }: BegunPass, { completions, runningMs }: Surroundings) {
    this.#db = db;
    this.#fence = { codeRunId: run.id, passNumber };
    this.#signal = signal;
    this.#completions = completions;
    this.#runningMs = runningMs;
    this.#alarms = new AlarmQueue(runningMs);
  }

  /** Sets timers that the code started together. Skips timers that fired in an earlier pass. */
  start(timers: readonly { event: TimerEvent; recorded: RecordedTimer | undefined }[]): void {
    const unfired = timers.filter(({ recorded }) => !recorded?.completedAt).map((one) => ({ ...one, timer: this.#timerOf(one) }));
    const unwritten = unfired.filter(({ recorded }) => !recorded).map(({ timer }) => timer);
    const inserted = unwritten.length > 0 ? this.#insert(unwritten) : Promise.resolve();
    this.#completions.follow(inserted, { isCall: false });
    for (const { timer } of unfired) {
      const fired = this.#alarms.until(timer.dueMs).then(() => this.#fire(timer, inserted));
      this.#completions.follow(fired, { isCall: false });
    }
  }

  close(): void {
    this.#alarms.close();
  }

  #timerOf({ event, recorded }: { event: TimerEvent; recorded: RecordedTimer | undefined }): NewTimer {
    if (recorded) return recorded;
    const { number, delayMs } = event;
    return { number, delayMs, dueAt: new Date(Date.now() + delayMs), dueMs: this.#runningMs() + delayMs };
  }

  #insert(timers: NewTimer[]): Promise<void> {
    return retry(whileDatabaseUnavailable(this.#signal), (attempt) =>
      insertTimers(this.#db, this.#fence, timers).catch((error) => {
        // If a retry finds a duplicate, an earlier attempt wrote the timers and its response was
        // lost.
        if (attempt === 1 || !isDuplicate(error)) throw error;
      }),
    );
  }

  /** Records the firing in order with the answers of calls. A later pass must see this order. */
  #fire({ number }: NewTimer, inserted: Promise<void>): Promise<void> {
    return this.#completions.complete(async (completionNumber, completedAt) => {
      await inserted;
      await retry(whileDatabaseUnavailable(this.#signal), () =>
        finishTimer(this.#db, this.#fence, { number, completionNumber, completedAt }),
      );
      return toCompletion(number, completedAt);
    });
  }
}
