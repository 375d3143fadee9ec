import type { Db } from '../infra/database.ts';

/** The number of calls with a connection in a period, and the start of the last call. */
export interface ConnectionUse {
  calls: number;
  lastAt: Date;
}

/** Maximum number of calls that a query reads. This keeps pages fast. */
const SCANNED = 100_000;

/**
 * Counts the calls of the last `days` days, by connection id. Only the newest `SCANNED` calls of
 * the organization count.
 */
export async function findConnectionUse(db: Db, orgId: string, ids: readonly string[], days: number): Promise<Map<string, ConnectionUse>> {
  if (ids.length === 0) return new Map();
  const newest = db('calls')
    .select('connection_id', 'started_at')
    .where({ org_id: orgId })
    .andWhereRaw("started_at > now() - ? * interval '1 day'", [days])
    .orderBy('started_at', 'desc')
    .limit(SCANNED)
    .as('newest');
  const rows = await db
    .from(newest)
    .select('connection_id as id', db.raw('count(*)::int as calls, max(started_at) as "lastAt"'))
    .whereIn('connection_id', [...ids])
    .groupBy('connection_id');
  return new Map(rows.map(({ id, ...use }) => [id, use]));
}
