import type { Runner } from './launch-runner.ts';
import { type PoolSize, PoolTarget } from './pool-target.ts';

/** Starting a runner slows down the runner that was just taken. */
const REFILL_AFTER_MS = 100;
/** Lets the answer to the code's caller go out before the refill takes processor time. */
const REFILL_AFTER_PASS_MS = 15;
/** Limits the load on a machine where runners keep ending. */
const REPLACE_AFTER_MS = 1000;

/** Keeps unused runners ready. The caller of `take` must end its runner. */
export class RunnerPool {
  readonly #launch: () => Promise<Runner>;
  readonly #target: PoolTarget;
  readonly #unused: Promise<Runner>[] = [];
  #isClosed = false;
  #refillTimer: NodeJS.Timeout | undefined;

  constructor(size: PoolSize, launch: () => Promise<Runner>) {
    this.#launch = launch;
    this.#target = new PoolTarget(size, () => this.#endSurplus());
    this.#refill();
  }

  /** Returns an unused runner. Rejects if none can be started, or if the pool is closed. */
  async take(): Promise<Runner> {
    if (this.#isClosed) throw new Error('the sandbox is closed');
    if (this.#unused.length === 0) this.#target.grow();
    const taken = this.#takeUnused();
    this.#refillIn(REFILL_AFTER_MS);
    const runner = (await taken) ?? (await this.#launch());
    void runner.exited.then(() => setTimeout(() => this.#refill(), REFILL_AFTER_PASS_MS));
    return runner;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#refillTimer);
    this.#target.close();
    await Promise.all(this.#unused.map(end));
  }

  async #takeUnused(): Promise<Runner | undefined> {
    const runner = await this.#unused.shift()?.catch(() => undefined);
    return runner?.isGone() ? undefined : runner;
  }

  #refill(): void {
    while (!this.#isClosed && this.#unused.length < this.#target.size) {
      const start = this.#launch();
      this.#unused.push(start);
      // `take` replaces a runner that failed to start.
      start.then((runner) => runner.exited.then(() => this.#replace(start))).catch(() => {});
    }
  }

  #refillIn(delayMs: number): void {
    this.#refillTimer ??= setTimeout(() => {
      this.#refillTimer = undefined;
      this.#refill();
    }, delayMs);
  }

  #replace(ended: Promise<Runner>): void {
    const index = this.#unused.indexOf(ended);
    if (index < 0 || this.#isClosed) return;
    this.#unused.splice(index, 1);
    this.#refillIn(REPLACE_AFTER_MS);
  }

  #endSurplus(): void {
    for (const start of this.#unused.splice(this.#target.size)) void end(start);
  }
}

async function end(start: Promise<Runner>): Promise<void> {
  const runner = await start.catch(() => undefined);
  runner?.kill();
  await runner?.exited;
}
