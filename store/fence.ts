import type { Db } from '../infra/database.ts';

/**
 * Identifies a pass, which is one execution of a run's code. Valid until the next pass begins or
 * the run ends.
 */
export interface Fence {
  codeRunId: string;
  passNumber: number;
}

/** Thrown when another pass has replaced the current pass, or when the run has ended. */
export class PassReplacedError extends Error {
  override name = 'PassReplacedError';
}

/** Selects the run if it is in this pass and has not ended. */
export function heldBy(db: Db, fence: Fence) {
  return db('code_runs').select('id').where({ id: fence.codeRunId, pass_number: fence.passNumber, finished_at: null });
}

/**
 * Returns the row that a statement wrote. Throws PassReplacedError if the fence prevented the
 * write.
 */
export function writtenRow<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new PassReplacedError('another pass has taken over');
  return row;
}
