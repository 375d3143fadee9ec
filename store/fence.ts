import type { Db } from '../infra/database.ts';

/** Identifies a pass of a run. Valid while no later pass has begun and the run has not ended. */
export interface Fence {
  codeRunId: string;
  passNumber: number;
}

/** Thrown when another pass has replaced this one. */
export class PassReplacedError extends Error {
  override name = 'PassReplacedError';
}

/** SQL condition: the run is in this pass, and has not ended. */
export function heldBy(db: Db, fence: Fence) {
  return db('code_runs').select('id').where({ id: fence.codeRunId, pass_number: fence.passNumber, finished_at: null });
}

/** The row of a fenced statement. Throws PassReplacedError when the fence prevented it. */
export function writtenRow<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new PassReplacedError('another pass has taken over');
  return row;
}
