/** In nanoseconds of a typical processor, for one call and all policies. */
const CALL_WORK_NS = 8_000_000;

/** Limits the time for judging one call. Each step charges its estimated work before it runs. */
export class WorkBudget {
  #left: number;

  constructor(work = CALL_WORK_NS) {
    this.#left = work;
  }

  /**
   * Charges `work` nanoseconds. Returns whether the budget suffices. Once exceeded, it never
   * suffices again.
   */
  spend(work: number): boolean {
    this.#left -= work;
    return this.#left >= 0;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }
}
