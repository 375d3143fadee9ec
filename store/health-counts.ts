import type { Db } from '../infra/database.ts';
import { STATUS_IS } from './connections.ts';

/** The numbers of webhooks and connections for the overview. */
export interface HealthCounts {
  /** Number of enabled webhooks of policies. */
  endpoints: number;
  /** Number of deliveries created in the last 24 hours that failed for good, at most `MAX_READ`. */
  failed: number;
  /** Number of deliveries more than two minutes overdue and not being sent, at most `MAX_READ`. */
  overdue: number;
  connections: number;
  /** Number of connections that a person must connect again. */
  broken: number;
}

const MAX_READ = 1000;

/** Returns the counts of an organization. */
export async function countHealth(db: Db, orgId: string): Promise<HealthCounts> {
  const { rows } = await db.raw(
    `select
       (select count(*)::int from webhook_endpoints e join approval_policies p on p.id = e.policy_id
         where e.org_id = :orgId and e.disabled_at is null) as endpoints,
       (select count(*)::int from (select from webhook_deliveries where org_id = :orgId and status = 'failed'
         and created_at > now() - interval '1 day' order by number desc limit ${MAX_READ}) f) as failed,
       (select count(*)::int from (select from webhook_deliveries where org_id = :orgId and next_attempt_at < now() - interval '2 minutes'
         and (in_flight_until is null or in_flight_until <= now()) limit ${MAX_READ}) o) as overdue,
       c.total as connections, c.broken
     from (select count(*)::int as total, (count(*) filter (where ${STATUS_IS.ERROR} or ${STATUS_IS.REVOKED}))::int as broken
       from connections where org_id = :orgId) c`,
    { orgId },
  );
  return rows[0];
}
