import type { ActivityType } from '../domain/activity.ts';
import type { Db } from '../infra/database.ts';

/** A record without its row in the activity log. */
export interface Unrecorded {
  orgId: string;
  what: 'approval' | 'call' | 'policy' | 'delivery';
  /** Id of the record; for a policy, with the version. */
  id: string;
  /** Type of the missing row. */
  type: ActivityType;
  /** The number of missing rows of the organization. */
  total: number;
}

/**
 * The log starts at its migration, or one minute before its first row if that is earlier. A record
 * can be older than the row: the time of a record is the start of its transaction.
 */
const SINCE = `(select coalesce(least(min(migration_time), (select created_at - interval '1 minute' from activity order by id limit 1)), '-infinity')
  from schema_migrations where name = '0013_activity.ts')`;

const OF_APPROVALS = `
  select org_id, id, created_at as at, case decided_by_type when 'policy' then 'call.let_through' else 'approval.requested' end as type
    from approvals
  union all
  select org_id, id, coalesce(decided_at, updated_at), case when decided_by_type = 'timeout' then 'approval.expired'
      when status in ('rejected', 'canceled') then 'approval.' || status else 'approval.approved' end
    from approvals where status <> 'pending' and decided_by_type is distinct from 'policy'
  union all
  select org_id, id, coalesce(consumed_at, updated_at), 'approval.consumed'
    from approvals where status = 'consumed' and decided_by_type is distinct from 'policy'
  union all
  select org_id, id, updated_at, 'approval.expired' from approvals where status = 'expired' and decided_by_type is distinct from 'timeout'
  union all
  select org_id, approval_id, created_at, 'approval.approved' from receipts`;

/** Calls of code runs are left out: their approvals cover them. */
const OF_CALLS = `
  select c.org_id, c.id, c.started_at as at, case when c.status = 'blocked' then 'call.blocked'
      when p.decided_by_type = 'policy' then 'call.let_through' else 'approval.consumed' end as type
    from calls c left join approvals p on p.id = c.approval_id
    where c.code_run_id is null and (c.status = 'blocked' or c.approval_id is not null)`;

const OF_POLICIES = `
  select p.org_id, p.id, v as version from approval_policies p cross join lateral generate_series(
    case when p.created_at >= ${SINCE} then 1 else coalesce(
      (select min(a.policy_version) from activity a where a.policy_id = p.id and a.org_id = p.org_id and a.type in ('policy.created', 'policy.updated')),
      case when p.updated_at >= ${SINCE} then p.version end) end,
    p.version) v`;

/** `of`: a condition that limits each part to one organization, or an empty text. */
const missing = (of: string) => `
  select org_id, 'approval' as what, id, type, at from (${OF_APPROVALS}) e
    where at >= ${SINCE} ${of} and not exists (select from activity a where a.approval_id = e.id and a.type = e.type and a.org_id = e.org_id)
  union all
  select org_id, 'call', id::text, type, at from (${OF_CALLS}) e
    where at >= ${SINCE} ${of} and not exists (select from activity a where a.call_id = e.id and a.type = e.type and a.org_id = e.org_id)
  union all
  select org_id, 'delivery', id::text, 'webhook.delivered', delivered_at from webhook_deliveries d
    where status = 'success' and delivered_at >= ${SINCE} ${of}
      and not exists (select from activity a where a.delivery_id = d.id and a.type = 'webhook.delivered' and a.org_id = d.org_id)
  union all
  select org_id, 'policy', id || ' version ' || version, case version when 1 then 'policy.created' else 'policy.updated' end, null from (${OF_POLICIES}) e
    where true ${of} and not exists (select from activity a where a.policy_id = e.id and a.policy_version = e.version and a.org_id = e.org_id
      and a.type in ('policy.created', 'policy.updated'))
  union all
  select a.org_id, 'policy', a.policy_id || ' version ' || max(a.policy_version), 'policy.deleted', null from activity a join orgs on orgs.id = a.org_id
    where a.type in ('policy.created', 'policy.updated', 'policy.deleted') ${of.replace('org_id', 'a.org_id')}
      and not exists (select from approval_policies p where p.id = a.policy_id and p.org_id = a.org_id)
    group by a.org_id, a.policy_id having not bool_or(a.type = 'policy.deleted')`;

/**
 * Returns records whose rows in the activity log are missing, at most `limit` of each organization.
 * With `orgId`, only of that organization.
 */
export async function listUnrecorded(db: Db, limit: number, orgId: string | undefined): Promise<Unrecorded[]> {
  const of = orgId === undefined ? '' : 'and org_id = :orgId';
  const { rows } = await db.raw(
    `select org_id as "orgId", what, id, type, total from (
       select *, count(*) over (partition by org_id) as total, row_number() over (partition by org_id order by at, what, id, type) as n
       from (select org_id, what, id, type, min(at) as at from (${missing(of)}) missing group by org_id, what, id, type) once) numbered
     where n <= :limit order by org_id, n`,
    { limit, orgId },
  );
  return rows;
}

/** Returns for each organization how many approvals and policies are older than the log. */
export async function countOlderThanTrail(db: Db): Promise<Map<string, number>> {
  const { rows } = await db.raw(
    `select org_id as "orgId", count(*) from (select org_id, created_at from approvals union all select org_id, created_at from approval_policies) made
     where created_at < ${SINCE} group by org_id`,
  );
  return new Map(rows.map(({ orgId, count }: { orgId: string; count: number }) => [orgId, count]));
}
