import type { ApprovalEvent } from '../domain/approval.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<WebhookDelivery>(
  'id',
  'orgId',
  'approvalId',
  'endpointId',
  'eventType',
  'payload',
  'attempt',
  'status',
  'httpStatus',
  'errorMessage',
  'createdAt',
  'deliveredAt',
);
const JSON_FIELDS = ['payload'];

/** Inserts a delivery; one event goes to one endpoint once. */
export async function insertWebhookDelivery(
  db: Db,
  delivery: Pick<WebhookDelivery, 'orgId' | 'approvalId' | 'endpointId' | 'eventType' | 'payload'>,
): Promise<void> {
  await db('webhook_deliveries').insert(toRow(delivery, JSON_FIELDS)).onConflict(['approval_id', 'endpoint_id', 'event_type']).ignore();
}

export async function findWebhookDelivery(db: Db, id: string): Promise<WebhookDelivery | undefined> {
  return db('webhook_deliveries').select(COLUMNS).where({ id }).first();
}

/** Deliveries of an approval in the order of their events, with the address each goes to. */
export async function listWebhookDeliveries(db: Db, approvalId: string): Promise<(WebhookDelivery & { callbackUrl: string })[]> {
  return db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .select(COLUMNS.map((column) => `d.${column}`))
    .select('e.url as callbackUrl')
    .where({ 'd.approval_id': approvalId })
    .orderBy([{ column: 'd.created_at' }, { column: 'd.id' }]);
}

/** Ids of an event's deliveries that are still to be made. */
export async function listOpenDeliveryIds(db: Db, approvalId: string, eventType: ApprovalEvent): Promise<string[]> {
  const rows = await db('webhook_deliveries')
    .select('id')
    .where({ approval_id: approvalId, event_type: eventType })
    .whereIn('status', ['pending', 'retrying']);
  return rows.map((row) => row.id);
}

/** Writes down how an attempt went and counts it. */
export async function recordAttempt(
  db: Db,
  id: string,
  outcome: { status: WebhookDelivery['status']; httpStatus: number | null; errorMessage: string | null },
): Promise<void> {
  await db('webhook_deliveries')
    .where({ id })
    .update({ ...toRow(outcome), attempt: db.raw('attempt + 1'), delivered_at: outcome.status === 'success' ? db.fn.now() : null });
}
