import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import { type Db, isDatabaseAway } from '../../infra/database.ts';
import { type FinishedCall, insertFinishedCalls } from '../../store/calls.ts';

/** Records an ungated call that ran. Resolves when the record is committed. */
export type CallRecorder = (finished: FinishedCall) => Promise<void>;

/** A record waits this long for the statement under way, then another one takes it. */
const MAX_WAIT_MS = 2;

/**
 * Opens the recorder of one process. Calls that end at the same time are recorded by one statement;
 * a call that ends alone is recorded at once. A record that cannot be stored fails its own call.
 */
export function openCallRecorder(db: Db): CallRecorder {
  return batchCalls((finished: FinishedCall[]) => recordAll(db, finished), { maxWaitMs: MAX_WAIT_MS });
}

async function recordAll(db: Db, finished: FinishedCall[]): Promise<(one: FinishedCall) => void> {
  try {
    await insertFinishedCalls(db, finished);
    return () => {};
  } catch (error) {
    // After a lost connection, the records may be there already: they are not written twice.
    if (finished.length === 1 || isDatabaseAway(error)) throw error;
    return recordEach(db, finished);
  }
}

/** The statement has failed as a whole, so none of these is recorded yet. */
async function recordEach(db: Db, finished: FinishedCall[]): Promise<(one: FinishedCall) => void> {
  const errors = new Map<FinishedCall, unknown>();
  for (const one of finished) await insertFinishedCalls(db, [one]).catch((error) => errors.set(one, error));
  return (one) => {
    if (errors.has(one)) throw errors.get(one);
  };
}
