/** Lets callers in one process wait for a `wake` of their key. */
export class Waiters {
  readonly #byKey = new Map<string, Set<() => void>>();

  /**
   * `woken` resolves at the next `wake` of the key, or after `timeoutMs`. Always call `stop` in the
   * end.
   */
  wait(key: string, timeoutMs: number): { woken: Promise<void>; stop: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ofKey = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, ofKey.add(resolve));
    const timer = setTimeout(resolve, Math.max(0, timeoutMs));
    const stop = () => {
      clearTimeout(timer);
      ofKey.delete(resolve);
      if (ofKey.size === 0 && this.#byKey.get(key) === ofKey) this.#byKey.delete(key);
    };
    return { woken: promise, stop };
  }

  wake(key: string): void {
    for (const resolve of this.#byKey.get(key) ?? []) resolve();
  }

  wakeAll(): void {
    for (const key of this.#byKey.keys()) this.wake(key);
  }

  /** Number of keys with waiting callers. */
  get size(): number {
    return this.#byKey.size;
  }
}
