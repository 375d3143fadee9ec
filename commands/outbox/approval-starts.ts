import pLimit from 'p-limit';

/**
 * Temporal starts a workflow in some milliseconds, and more concurrent starts only slow it down.
 */
const AT_ONCE = 4;

/**
 * Starts the workflows of new approvals, a few at a time. While many starts are under way, callers
 * do not wait.
 */
export class ApprovalStarts {
  readonly #limit = pLimit(AT_ONCE);
  readonly #waiting = new Set<string>();

  /**
   * Runs `start` when its turn comes, unless the approval is dropped. Waits for `start`, except if
   * AT_ONCE other starts come first. `start` must handle its own errors.
   */
  async begin(approvalId: string, start: () => Promise<void>): Promise<void> {
    const isFlood = this.#limit.activeCount + this.#limit.pendingCount >= AT_ONCE;
    this.#waiting.add(approvalId);
    const started = this.#limit(async () => {
      if (this.#waiting.delete(approvalId)) await start();
    });
    if (!isFlood) await started;
  }

  /** Drops the start of an approval if the start still waits. Returns true if so. */
  drop(approvalId: string): boolean {
    return this.#waiting.delete(approvalId);
  }
}
