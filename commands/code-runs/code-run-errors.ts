import { GatewayError } from '../../domain/errors.ts';
import { isContended, isDatabaseUnavailable } from '../../infra/database.ts';

/** A failure of a run: its calls differ from the recorded calls, or an outcome is unknown. */
export class RunFailure extends Error {
  override name = 'RunFailure';
  readonly code: 'CODE_DIVERGED' | 'CODE_CALL_OUTCOME_UNKNOWN';

  constructor(code: RunFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** True if the error is temporary, so that it says nothing about the run. */
export function isDependencyUnavailable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || isContended(error) || (error instanceof GatewayError && error.code === 'UNAVAILABLE');
}
