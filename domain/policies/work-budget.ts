/**
 * The work for judging one call, in nanoseconds of a usual processor: all facts and comparisons of
 * all policies together.
 */
const CALL_WORK = 8_000_000;

/** A budget that work is charged to before it is done, so that judging any input ends in time. */
export class WorkBudget {
  #left: number;

  constructor(work = CALL_WORK) {
    this.#left = work;
  }

  /** Charges work; false if the budget does not suffice. After that it stays empty. */
  spend(work: number): boolean {
    this.#left -= work;
    return this.#left >= 0;
  }

  /** Whether work had to be refused. */
  get isSpent(): boolean {
    return this.#left < 0;
  }
}
