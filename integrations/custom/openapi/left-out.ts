import type { LeftOutReason } from '../import-report.ts';

/**
 * Thrown if an operation cannot be imported, with the reason. Other operations are not affected.
 */
export class LeftOutError extends Error {
  override name = 'LeftOutError';
  readonly reason: LeftOutReason;

  constructor(reason: LeftOutReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
