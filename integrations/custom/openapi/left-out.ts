import type { LeftOutReason } from '../import-report.ts';

/** Why an operation is no action. Ends the reading of that operation alone. */
export class LeftOutError extends Error {
  override name = 'LeftOutError';
  readonly reason: LeftOutReason;

  constructor(reason: LeftOutReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
