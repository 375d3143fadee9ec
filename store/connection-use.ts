import type { Db } from '../infra/database.ts';

/** The number and the last time of the calls with a connection in the last days. */
export interface ConnectionUse {
  calls: number;
  lastAt: Date;
}

/** Maximum number of the organization's newest calls that are read, so that a page stays fast. */
const SCANNED = 100_000;

/**
 * Returns how calls of the last `days` used connections, by connection id. Unused connections are
 * missing from the map. In a busy organization only the newest calls count.
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
