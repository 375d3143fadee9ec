/** Ends of a run that the code itself could not know of. */
export class RunFailure extends Error {
  override name = 'RunFailure';
  readonly code: 'CODE_DIVERGED' | 'CODE_CALL_OUTCOME_UNKNOWN';

  constructor(code: RunFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}
