import type { Db } from '../infra/database.ts';

/** The tables that keep facts of calls, each with the time of its facts. */
const KEPT_IN = [
  ['calls', 'started_at'],
  ['approvals', 'created_at'],
] as const;

/**
 * Deletes facts that are older than this, of at most `limit` calls of each table. Returns how many.
 * Safe to call from several processes at once.
 */
export async function deleteOldFacts(db: Db, keptDays: number, limit: number): Promise<number> {
  let deleted = 0;
  for (const [table, time] of KEPT_IN) {
    const old = db(table)
      .select('id')
      .whereNotNull('facts')
      .andWhereRaw("?? < now() - ? * interval '1 day'", [time, keptDays])
      .orderBy(time)
      .limit(limit)
      .forUpdate()
      .skipLocked();
    deleted += await db(table).whereIn('id', old).update({ facts: null });
  }
  return deleted;
}
