import { batchWrites } from '../../infra/concurrency/batch-writes.ts';
import { type Db, isDatabaseUnavailable } from '../../infra/database.ts';
import { type FinishedCall, insertFinishedCalls } from '../../store/calls.ts';

/** Records an ungated call that ran. Resolves when the record is committed. */
export type CallRecorder = (finished: FinishedCall) => Promise<void>;

/**
 * Opens the recorder of one process. Calls that end at the same time are recorded by one statement;
 * a call that ends alone is recorded at once. A record that cannot be stored fails its own call.
 * After a lost connection the records may be there already: they are not written twice.
 */
export function openCallRecorder(db: Db): CallRecorder {
  const record = async (finished: readonly FinishedCall[]) => {
    await insertFinishedCalls(db, finished);
    return finished.map(() => undefined);
  };
  return batchWrites(record, { isLost: isDatabaseUnavailable });
}
