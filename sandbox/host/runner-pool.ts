import type { Runner } from './launch-runner.ts';
import { type PoolSize, PoolTarget } from './pool-target.ts';

/** Delays a start, which uses both cores briefly, so that a pass of ordinary length goes first. */
const REFILL_AFTER_MS = 100;
/** Delays a start behind the answer of a pass. */
const REFILL_AFTER_PASS_MS = 15;
/**
 * Delay before an idle runner that ended is replaced. It limits the load on a machine on which all
 * runners end.
 */
const REPLACE_AFTER_MS = 1000;

/**
 * Keeps idle runners ready. The target grows by one each time none is ready, and shrinks when there
 * is no shortage. A runner is used once; its user ends it.
 */
export class RunnerPool {
  readonly #launch: () => Promise<Runner>;
  readonly #target: PoolTarget;
  readonly #idle: Promise<Runner>[] = [];
  #isClosed = false;
  #refillTimer: NodeJS.Timeout | undefined;

  /** Starts the first runners. */
  constructor(size: PoolSize, launch: () => Promise<Runner>) {
    this.#launch = launch;
    this.#target = new PoolTarget(size, () => this.#endSurplus());
    this.#refill();
  }

  /**
   * Takes an unused runner: an idle one if available, else a new one. Rejects if none can be
   * started.
   */
  async take(): Promise<Runner> {
    if (this.#isClosed) throw new Error('the sandbox is closed');
    if (this.#idle.length === 0) this.#target.grow();
    const taken = this.#takeIdle();
    this.#refillIn(REFILL_AFTER_MS);
    const runner = (await taken) ?? (await this.#launch());
    void runner.exited.then(() => setTimeout(() => this.#refill(), REFILL_AFTER_PASS_MS));
    return runner;
  }

  /** Ends the idle runners and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#refillTimer);
    this.#target.close();
    await Promise.all(this.#idle.map(end));
  }

  async #takeIdle(): Promise<Runner | undefined> {
    const runner = await this.#idle.shift()?.catch(() => undefined);
    return runner?.isGone() ? undefined : runner;
  }

  #refill(): void {
    while (!this.#isClosed && this.#idle.length < this.#target.size) {
      const start = this.#launch();
      this.#idle.push(start);
      // A failed start is not reported here. The next user starts a new runner and sees the error.
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
    const index = this.#idle.indexOf(ended);
    if (index < 0 || this.#isClosed) return;
    this.#idle.splice(index, 1);
    this.#refillIn(REPLACE_AFTER_MS);
  }

  #endSurplus(): void {
    for (const start of this.#idle.splice(this.#target.size)) void end(start);
  }
}

async function end(start: Promise<Runner>): Promise<void> {
  const runner = await start.catch(() => undefined);
  runner?.kill();
  await runner?.exited;
}
