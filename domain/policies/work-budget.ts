/**
 * The budget for judging one call by all policies, in nanoseconds of a usual processor. It covers
 * the facts and the comparisons.
 */
const CALL_WORK_NS = 8_000_000;

/**
 * Limits the time for judging one call. Each step charges its estimated work before it runs, and
 * does not run if the budget is exceeded.
 */
export class WorkBudget {
  #left: number;

  constructor(work = CALL_WORK_NS) {
    this.#left = work;
  }

  /**
   * Charges work in nanoseconds. False if it exceeds the budget; then every later charge does too.
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
