import type { ApprovalEvent } from '../domain/approval.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns } from './columns.ts';

/** Notification channel: deliveries are due. */
export const DELIVERIES_DUE = 'webhook_deliveries_due';

/**
 * Any process can send a retry that is overdue by this many seconds, because its workflow has
 * missed the retry.
 */
export const OVERDUE_SECONDS = 15;

/** The fields of a delivery without its payload. */
export const DELIVERY_FIELDS = [
  'id',
  'approvalId',
  'endpointId',
  'eventType',
  'attempt',
  'status',
  'httpStatus',
  'errorMessage',
  'createdAt',
  'deliveredAt',
] as const;

const COLUMNS = columns<WebhookDelivery>(...DELIVERY_FIELDS);

/**
 * `created_at` is the time of the statement. The transaction can have begun before an earlier
 * event.
 */
const INSERT = {
  name: 'insert-webhook-deliveries',
  text: `with event as materialized (select clock_timestamp() as at),
         made as (
           insert into webhook_deliveries
             (org_id, approval_id, endpoint_id, event_type, payload, created_at, status, error_message, next_attempt_at)
           select org_id, $2, id, $3, $4::json, at, case when gone_at is null then 'pending' else 'failed' end,
             case when gone_at is not null then $5 end, case when gone_at is null then at end
           from webhook_endpoints, event where policy_id = $1 and disabled_at is null order by webhook_endpoints.created_at, id
           on conflict (approval_id, endpoint_id, event_type) do nothing
           returning id, status)
         select id, status = 'failed' as "isGone", case when status = 'pending' then pg_notify('${DELIVERIES_DUE}', '') end from made`,
};

export interface NewDeliveries {
  policyId: string;
  approvalId: string;
  eventType: ApprovalEvent;
  payload: object;
  /** Error message for destinations that answered 410. Deliveries to them fail immediately. */
  goneMessage: string;
}

/**
 * Inserts one delivery of an event for each destination of a policy. Skips a destination that
 * already has the delivery. Returns the ids of deliveries that failed because their destination is
 * gone.
 */
export async function insertWebhookDeliveries(db: Db, deliveries: NewDeliveries): Promise<string[]> {
  const { policyId, approvalId, eventType, payload, goneMessage } = deliveries;
  const values = [policyId, approvalId, eventType, JSON.stringify(payload), goneMessage];
  const made = await runPrepared<{ id: string; isGone: boolean }>(db, INSERT, values);
  return made.filter(({ isGone }) => isGone).map(({ id }) => id);
}

export type ShownDelivery = WebhookDelivery & { callbackUrl: string };

/** Returns the deliveries of an approval with their URLs, in the order of their events. */
export async function listWebhookDeliveries(db: Db, approvalId: string): Promise<ShownDelivery[]> {
  return shown(db).where({ 'd.approval_id': approvalId }).orderBy('d.number');
}

export async function findWebhookDelivery(db: Db, approvalId: string, id: string): Promise<ShownDelivery | undefined> {
  return shown(db).where({ 'd.approval_id': approvalId, 'd.id': id }).first();
}

function shown(db: Db) {
  return db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .select(COLUMNS.map((column) => `d.${column}`))
    .select('e.url as callbackUrl');
}

/** Makes a delivery due now; false if the delivery is already due or being sent. */
export async function makeDue(db: Db, id: string): Promise<boolean> {
  const changed = await db('webhook_deliveries')
    .where({ id })
    .andWhereRaw('(next_attempt_at is null or next_attempt_at > now()) and (in_flight_until is null or in_flight_until <= now())')
    .update({
      ...{ status: 'retrying', http_status: null, error_message: null, delivered_at: null },
      next_attempt_at: db.raw(`now() - interval '${OVERDUE_SECONDS} seconds'`),
    });
  if (changed > 0) await db.raw('select pg_notify(?, ?)', [DELIVERIES_DUE, '']);
  return changed > 0;
}

/** Postpones the due deliveries of these destinations, without counting an attempt. */
export async function putOffDeliveries(db: Db, endpointIds: readonly string[], seconds: number): Promise<void> {
  await db('webhook_deliveries')
    .whereIn('endpoint_id', [...endpointIds])
    .andWhereRaw('next_attempt_at <= now() and (in_flight_until is null or in_flight_until <= now())')
    .update({ next_attempt_at: db.raw("now() + ? * interval '1 second'", [seconds]) });
}
