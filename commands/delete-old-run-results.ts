import { deleteOldResults } from '../store/code-run-history.ts';
import type { Gateway } from './gateway.ts';

/** Whatever a result holds is read, to keep why its run failed; so many at a time. */
const BATCH = 20;
/** In one turn, so that those who wait for theirs do not wait long. */
const MAX_BATCHES = 25;

/** Deletes what the results of code runs hold once their time is over (CODE_RESULT_RETENTION_HOURS), of some in each turn; answers of how many. */
export async function deleteOldRunResults({ db, config }: Pick<Gateway, 'db' | 'config'>): Promise<number> {
  let deleted = 0;
  for (let turn = 0; turn < MAX_BATCHES; turn += 1) {
    const batch = await deleteOldResults(db, config.code.retentionHours, BATCH);
    deleted += batch;
    if (batch < BATCH) break;
  }
  return deleted;
}
