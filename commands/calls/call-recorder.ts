import { batchWrites } from '../../infra/concurrency/batch-writes.ts';
import { type Db, isDatabaseUnavailable } from '../../infra/database.ts';
import { type FinishedCall, insertFinishedCalls } from '../../store/calls.ts';

/** Inserts the record of a finished call. Resolves when the record is committed. */
export type CallRecorder = (finished: FinishedCall) => Promise<void>;

/**
 * Opens a recorder that writes concurrent records together. If a record cannot be stored, only its
 * call fails. After a lost connection, records are not written again, because they may already be
 * stored.
 */
export function openCallRecorder(db: Db): CallRecorder {
  const record = async (finished: readonly FinishedCall[]) => {
    await insertFinishedCalls(db, finished);
    return finished.map(() => undefined);
  };
  return batchWrites(record, { isLost: isDatabaseUnavailable });
}
