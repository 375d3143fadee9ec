import { setTimeout as delay } from 'node:timers/promises';

/** Tracks running work. A process can wait for this work before it ends. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>();

  track<Result>(work: Promise<Result>): Promise<Result> {
    this.#work.add(work);
    const forget = () => this.#work.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work tracked so far has settled, or after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    await Promise.race([Promise.allSettled(this.#work), delay(timeoutMs, undefined, { ref: false })]);
  }

  get size(): number {
    return this.#work.size;
  }
}
