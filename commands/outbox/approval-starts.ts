import pLimit from 'p-limit';

/** Temporal starts a workflow in some milliseconds, and more at a time only slow it down. */
const AT_ONCE = 4;

/**
 * Starts the workflows of new approvals, a few at a time. If only a few are being started, the
 * caller waits for its own, so that it is in Temporal when the caller gets its answer. In a flood
 * callers do not wait. An approval that is decided meanwhile is dropped here, because the signal of
 * its decision starts its workflow too.
 */
export class ApprovalStarts {
  readonly #limit = pLimit(AT_ONCE);
  readonly #waiting = new Set<string>();

  /**
   * Runs `start` at its turn, unless the approval was dropped. Resolves when `start` has ended, or
   * at once if it has to wait for its turn. `start` handles its own errors.
   */
  async begin(approvalId: string, start: () => Promise<void>): Promise<void> {
    const isFlood = this.#limit.activeCount + this.#limit.pendingCount >= AT_ONCE;
    this.#waiting.add(approvalId);
    const started = this.#limit(async () => {
      if (this.#waiting.delete(approvalId)) await start();
    });
    if (!isFlood) await started;
  }

  /** Drops the start of an approval, if it still waits for its turn. Returns whether it did. */
  drop(approvalId: string): boolean {
    return this.#waiting.delete(approvalId);
  }
}
