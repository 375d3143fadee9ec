import { deleteOldResults } from '../../store/code-run-history.ts';
import type { Gateway } from '../gateway.ts';

/** Number of results in each batch. Small, because each result is read to keep its error. */
const BATCH = 20;
/** Maximum number of batches in each call, so that other duties are not delayed. */
const MAX_BATCHES = 25;

/**
 * Deletes the results of code runs whose retention is over (CODE_RESULT_RETENTION_HOURS), a bounded
 * number in each call. Keeps errors. Returns the number of runs.
 */
export async function deleteOldRunResults({ db, config }: Pick<Gateway, 'db' | 'config'>): Promise<number> {
  let deleted = 0;
  for (let turn = 0; turn < MAX_BATCHES; turn += 1) {
    const batch = await deleteOldResults(db, config.code.retentionHours, BATCH);
    deleted += batch;
    if (batch < BATCH) break;
  }
  return deleted;
}
