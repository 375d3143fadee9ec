import { GatewayError } from '../domain/errors.ts';
import { isContended, isDatabaseAway } from '../infra/database.ts';

/** Ends of a run that the code itself could not know of. */
export class RunFailure extends Error {
  override name = 'RunFailure';
  readonly code: 'CODE_DIVERGED' | 'CODE_CALL_OUTCOME_UNKNOWN';

  constructor(code: RunFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether a part of the service went away under a run, which says nothing of the run. */
export function isPartAway(error: unknown): boolean {
  return isDatabaseAway(error) || isContended(error) || (error instanceof GatewayError && error.code === 'UNAVAILABLE');
}
