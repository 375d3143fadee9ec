import { POLICY } from '../../domain/limits.ts';
import { deleteOldFacts as deleteBatch } from '../../store/call-facts.ts';
import { deleteOldVersions } from '../../store/policy-versions.ts';
import type { Gateway } from '../gateway.ts';

const BATCH = 1000;
/** Maximum number of batches, so that other duties of the reconciliation are not delayed. */
const MAX_BATCHES = 25;

/**
 * Deletes facts of calls (the values that policies judged) that are older than 30 days, up to a
 * limit, and old versions of deleted policies. Returns the number of deleted facts.
 */
export async function deleteOldFacts({ db }: Pick<Gateway, 'db'>): Promise<number> {
  let deleted = 0;
  for (let turn = 0; turn < MAX_BATCHES; turn += 1) {
    const batch = await deleteBatch(db, POLICY.factsKeptDays, BATCH);
    deleted += batch;
    if (batch < BATCH) break;
  }
  await deleteOldVersions(db, POLICY.factsKeptDays);
  return deleted;
}
