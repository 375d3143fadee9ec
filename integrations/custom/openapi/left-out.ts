import type { LeftOutReason } from '../import-report.ts';

/**
 * Why an operation is left out. Thrown while the operation is read; the others are not affected.
 */
export class LeftOutError extends Error {
  override name = 'LeftOutError';
  readonly reason: LeftOutReason;

  constructor(reason: LeftOutReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
