/** Alarms at running times of a run. They ring in the order of these times. */
export class AlarmQueue {
  readonly #nowMs: () => number;
  readonly #alarms: { dueMs: number; ring: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `nowMs` returns the running time of the run. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Resolves at the running time `dueMs`, after all alarms that are due earlier. Does not resolve
   * after `close`.
   */
  until(dueMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const later = this.#alarms.findIndex((other) => other.dueMs > dueMs);
    this.#alarms.splice(later < 0 ? this.#alarms.length : later, 0, { dueMs, ring: resolve });
    this.#schedule();
    return promise;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#alarms.length = 0;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const [next] = this.#alarms;
    if (next) this.#timer = setTimeout(() => this.#ringDue(), Math.max(0, Math.ceil(next.dueMs - this.#nowMs())));
  }

  #ringDue(): void {
    while (this.#alarms[0] && this.#alarms[0].dueMs <= this.#nowMs()) this.#alarms.shift()!.ring();
    this.#schedule();
  }
}
