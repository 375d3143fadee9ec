import type { Db } from '../infra/database.ts';

/** Holds while no other pass of the run has begun and nobody has ended it. */
export interface Fence {
  codeRunId: string;
  passNumber: number;
}

/** Thrown when a pass learns that another one has taken its place. */
export class PassReplacedError extends Error {
  override name = 'PassReplacedError';
}

/** The run, while it is in this pass: a condition for what is written. */
export function heldBy(db: Db, fence: Fence) {
  return db('code_runs').select('id').where({ id: fence.codeRunId, pass_number: fence.passNumber });
}

/** The row that a fenced statement answers. Throws PassReplacedError where the fence kept it from one. */
export function writtenRow<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new PassReplacedError('another pass has taken over');
  return row;
}
