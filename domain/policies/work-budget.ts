/**
 * The budget for judging one call by all policies, in nanoseconds of a typical processor. It covers
 * reading the facts and comparing them.
 */
const CALL_WORK_NS = 8_000_000;

/**
 * Limits the time for judging one call. Each step first charges its estimated work. The step does
 * not run if the charge exceeds the budget.
 */
export class WorkBudget {
  #left: number;

  constructor(work = CALL_WORK_NS) {
    this.#left = work;
  }

  /**
   * Charges work, in nanoseconds. Returns whether the budget suffices. After the first charge that
   * exceeds the budget, every later charge returns false too.
   */
  spend(work: number): boolean {
    this.#left -= work;
    return this.#left >= 0;
  }

  /** Whether a charge exceeded the budget. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }
}
