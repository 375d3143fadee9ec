import type { Completion } from '../../../sandbox/host/pass.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import { diverged } from './past-events.ts';
import type { RecordedCompletion } from './replay.ts';

/**
 * Delivers answers to a pass in order: first the recorded answers, then new ones. Each new answer
 * is recorded before the code gets it.
 */
export class Completions {
  readonly #replay: RecordedCompletion[];
  readonly #issued = new Set<number>();
  readonly #ready: Completion[] = [];
  readonly #calls = new Set<Promise<void>>();
  #lastPlace: number;
  #isGated = false;
  #failure: unknown;
  #recording = Promise.resolve();
  #wake = () => {};

  constructor(replay: readonly RecordedCompletion[]) {
    this.#replay = [...replay];
    this.#lastPlace = replay.at(-1)?.order ?? 0;
  }

  /** Notes that the code issued the call or timer with this number. */
  issued(number: number): void {
    this.#issued.add(number);
  }

  /**
   * Watches work of the pass. An error in the work ends the pass. If `isCall` is false, the pass
   * can pause or end before the work ends.
   */
  follow(work: Promise<void>, { isCall }: { isCall: boolean }): void {
    const done = work
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#calls.delete(done);
        this.#wake();
      });
    if (isCall) this.#calls.add(done);
  }

  /** Notes that a call waits for approval. The pass pauses when no other call is in flight. */
  gated(): void {
    this.#isGated = true;
  }

  /**
   * True after an error. The pass then ends when no call is in flight; after PassReplacedError, it
   * ends immediately.
   */
  hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Takes the next number, records the answer with `record`, and only then delivers the answer. */
  complete(record: (completionNumber: number, now: Date) => Promise<Completion>): Promise<void> {
    const recorded = this.#recording.then(async () => {
      this.#lastPlace += 1;
      this.#ready.push(await record(this.#lastPlace, new Date()));
      this.#wake();
    });
    // The next answer is recorded even if recording this answer failed.
    this.#recording = recorded.catch(() => {});
    return recorded;
  }

  /**
   * The next answer, or `pause`. Throws the first error of the followed work, and RunFailure if the
   * code did not repeat a recorded request.
   */
  async next(): Promise<Completion | 'pause'> {
    const recorded = this.#replay.shift();
    if (recorded) {
      if (this.#issued.has(recorded.number)) return recorded.open();
      throw diverged('the code did not repeat a request that was answered');
    }
    for (;;) {
      const isIdle = this.#calls.size === 0;
      // Calls in flight are recorded first, so that the next pass knows their outcome.
      if (this.#failure && (isIdle || this.#failure instanceof PassReplacedError)) throw this.#failure;
      const live = this.#failure ? undefined : this.#ready.shift();
      if (live) return live;
      if (this.#isGated && isIdle) return 'pause';
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async callsEnded(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }
}
