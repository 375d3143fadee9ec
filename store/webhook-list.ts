import type { Approval } from '../domain/approval.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql } from './columns.ts';
import { DELIVERIES_DUE, DELIVERY_FIELDS, OVERDUE_SECONDS } from './webhook-deliveries.ts';

/** A destination that a policy names. */
export interface ListedEndpoint {
  id: string;
  url: string;
  policyId: string;
  policyName: string;
  isPolicyEnabled: boolean;
  /** The time at which the destination answered 410. */
  goneAt: Date | null;
  /** The time until which the former secret also signs. */
  formerSignsUntil: Date | null;
  /** The numbers of deliveries, and of failed deliveries, in the last 7 days. */
  recent: number;
  recentFailed: number;
  /** True if only the newest deliveries were counted, so that both numbers are minimums. */
  isPart: boolean;
}

const MAX_COUNTED = 20_000;

/** Returns the destinations that policies of an organization name, ordered by URL. */
export async function listOrgWebhookEndpoints(
  db: Db,
  { orgId, workspaceId }: { orgId: string; workspaceId: string | undefined },
  limit: number,
): Promise<ListedEndpoint[]> {
  const { rows } = await db.raw(
    `with named as materialized (
       select e.id, e.url, e.policy_id, p.name, p.enabled, e.gone_at, case when e.former_signs_until > now() then e.former_signs_until end as former
       from webhook_endpoints e join approval_policies p on p.id = e.policy_id
       where e.org_id = :orgId and e.disabled_at is null and (cast(:workspaceId as uuid) is null or p.workspace_id = :workspaceId)
       order by e.url, e.id limit :limit),
     newest as materialized (
       select endpoint_id, status, created_at > now() - interval '7 days' as is_recent
       from webhook_deliveries where org_id = :orgId order by number desc limit ${MAX_COUNTED}),
     sent as (
       select endpoint_id, count(*)::int as recent, (count(*) filter (where status = 'failed'))::int as failed
       from newest where is_recent group by endpoint_id)
     select n.id, url, policy_id as "policyId", name as "policyName", enabled as "isPolicyEnabled", gone_at as "goneAt",
       former as "formerSignsUntil", coalesce(recent, 0) as recent, coalesce(failed, 0) as "recentFailed",
       (select count(*) filter (where is_recent) = ${MAX_COUNTED} from newest) as "isPart"
     from named n left join sent on sent.endpoint_id = n.id order by url, n.id`,
    { orgId, workspaceId: workspaceId ?? null, limit },
  );
  return rows;
}

/** Finds a destination that its policy still names. */
export async function findNamedEndpoint(db: Db, orgId: string, id: string): Promise<{ policyId: string; url: string } | undefined> {
  return db('webhook_endpoints as e')
    .join('approval_policies as p', 'p.id', 'e.policy_id')
    .where({ 'e.org_id': orgId, 'e.id': id })
    .whereNull('e.disabled_at')
    .first({ policyId: 'e.policy_id', url: 'e.url' });
}

/** A delivery in the list of an organization. `number` gives the order of events. */
export interface ListedDelivery extends Omit<WebhookDelivery, 'payload'> {
  number: number;
  callbackUrl: string;
  workspaceId: string;
}

const LISTED = `${columnsSql<WebhookDelivery>('d', ...DELIVERY_FIELDS)}, d.number, e.url as "callbackUrl", a.workspace_id as "workspaceId"`;

const JOINED = 'webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id join approvals a on a.id = d.approval_id';

type DeliveryPlace = Pick<ListedDelivery, 'number' | 'createdAt'>;

const MAX_SEARCHED = 10_000;

/**
 * Returns a page of an organization's deliveries, newest event first. Reads at most `MAX_SEARCHED`
 * deliveries, so a page can be short although `next` leads to more.
 */
export async function listDeliveries(
  db: Db,
  { orgId, workspaceId, status }: { orgId: string; workspaceId?: string | undefined; status?: WebhookDelivery['status'] | undefined },
  { limit, after }: { limit: number; after?: number | undefined },
): Promise<{ items: ListedDelivery[]; next: DeliveryPlace | null }> {
  const looked = db('webhook_deliveries').where({ org_id: orgId }).orderBy('number', 'desc').limit(MAX_SEARCHED);
  if (after !== undefined) looked.andWhere('number', '<', after);
  // Failed deliveries have an index of their own.
  if (status === 'failed') looked.andWhere({ status });
  const matching = db
    .from(looked.clone().as('d'))
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .join('approvals as a', 'a.id', 'd.approval_id')
    .select(db.raw(LISTED))
    .orderBy('d.number', 'desc')
    .limit(limit + 1);
  if (workspaceId !== undefined) matching.where('a.workspace_id', workspaceId);
  if (status !== undefined) matching.where('d.status', status);
  const rows: ListedDelivery[] = await matching;
  const items = rows.slice(0, limit);
  if (rows.length > limit) return { items, next: items.at(-1)! };
  const [end] = await looked
    .select('number', { createdAt: 'created_at' })
    .offset(MAX_SEARCHED - 1)
    .limit(1);
  return { items, next: end ?? null };
}

/** A delivery with the parts of its request body. */
export interface FoundDelivery extends ListedDelivery, Pick<WebhookDelivery, 'payload'>, Pick<Approval, 'approvalAccessMode'> {
  policyId: string | null;
  policyName: string | null;
  /** Null if no attempt will follow. */
  nextAttemptAt: Date | null;
}

/** Finds a delivery of an organization. */
export async function findDelivery(db: Db, orgId: string, id: string): Promise<FoundDelivery | undefined> {
  const { rows } = await db.raw(
    `select ${LISTED}, d.payload, d.next_attempt_at as "nextAttemptAt", a.approval_access_mode as "approvalAccessMode",
       a.policy_id as "policyId", a.policy_name as "policyName"
     from ${JOINED} where d.org_id = :orgId and d.id = :id`,
    { orgId, id },
  );
  return rows[0];
}

/** A recorded attempt of a delivery, or a request to send it again. */
export interface DeliveryEvent {
  id: number;
  type: 'webhook.delivered' | 'webhook.attempt_failed' | 'webhook.given_up' | 'webhook.redelivery_asked';
  details: { attempt?: number; httpStatus?: number | null; errorMessage?: string };
  createdAt: Date;
}

/** Returns the newest events of a delivery in the activity log, at most `limit`, oldest first. */
export async function listDeliveryEvents(
  db: Db,
  { id, approvalId }: Pick<WebhookDelivery, 'id' | 'approvalId'>,
  limit: number,
): Promise<DeliveryEvent[]> {
  const newest = await db('activity')
    .select('id', 'type', 'details', { createdAt: 'created_at' })
    .where({ approval_id: approvalId, delivery_id: id })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit);
  return newest.reverse();
}

/** A failed delivery that was made due again, with the fields for its activity row. */
export interface ResentDelivery
  extends Pick<WebhookDelivery, 'id' | 'eventType' | 'attempt'>,
    Pick<Approval, 'orgId' | 'workspaceId' | 'policyId' | 'policyVersion' | 'codeRunId' | 'integrationName' | 'actionName'> {
  approvalId: string;
}

const RESEND = {
  name: 'resend-failed-webhook-deliveries',
  text: `
    with failed as materialized (
      select d.id, d.endpoint_id, d.attempt from webhook_deliveries d
      where d.org_id = $1 and d.status = 'failed' and d.created_at >= $2 and (d.in_flight_until is null or d.in_flight_until <= now())
        and exists (select from webhook_endpoints e join approval_policies p on p.id = e.policy_id
          where e.id = d.endpoint_id and e.disabled_at is null and e.sealed_secret is not null)
        and ($4::uuid is null or exists (select from approvals a where a.id = d.approval_id and a.workspace_id = $4))
      order by d.number limit $3 for update of d skip locked),
    revived as (
      update webhook_endpoints set gone_at = null where gone_at is not null and id in (select endpoint_id from failed)),
    due as (
      update webhook_deliveries d set status = 'retrying', http_status = null, error_message = null, delivered_at = null,
        next_attempt_at = now() - interval '${OVERDUE_SECONDS} seconds'
      from failed where d.id = failed.id returning d.*)
    select due.id, due.event_type as "eventType", due.attempt, a.id as "approvalId",
      ${columnsSql<Approval>('a', 'orgId', 'workspaceId', 'policyId', 'policyVersion', 'codeRunId', 'integrationName', 'actionName')},
      pg_notify('${DELIVERIES_DUE}', '')
    from due join approvals a on a.id = due.approval_id order by due.number`,
};

/**
 * Makes at most `limit` failed deliveries due now, oldest first, and returns them. Omits deliveries
 * in flight, and deliveries to destinations without a policy or a secret.
 */
export async function resendFailedDeliveries(
  db: Db,
  { orgId, workspaceId, since, limit }: { orgId: string; workspaceId: string | undefined; since: Date; limit: number },
): Promise<ResentDelivery[]> {
  return runPrepared<ResentDelivery>(db, RESEND, [orgId, since, limit, workspaceId ?? null]);
}
