import { deleteOldResults } from '../../store/code-run-history.ts';
import type { Gateway } from '../gateway.ts';

/** Small, because each result is read to keep its error. */
const BATCH = 20;
/** Maximum number of batches in a call, so that other duties are not delayed. */
const MAX_BATCHES = 25;

/**
 * Deletes a bounded number of results whose retention is over (CODE_RESULT_RETENTION_HOURS). Keeps
 * errors.
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
