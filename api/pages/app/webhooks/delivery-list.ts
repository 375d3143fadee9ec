import { z } from 'zod';
import { PAGE } from '../../../../domain/limits.ts';
import type { WebhookDelivery } from '../../../../domain/webhook-delivery.ts';
import { type ListedDelivery, listDeliveries } from '../../../../store/webhook-list.ts';
import { cursorsOf } from '../../../cursor.ts';
import { type Cell, type Filter, listView, readFilter, timeCell } from '../list.ts';
import type { Visit } from '../screen.ts';
import { shownAddress } from './shown-address.ts';

/** The cell for each status of a delivery. */
export const DELIVERY_STATES: Record<WebhookDelivery['status'], Extract<Cell, { state: string }>> = {
  pending: { state: 'On its way', tone: 'waiting' },
  retrying: { state: 'Tried again later', tone: 'waiting' },
  success: { state: 'Arrived', tone: 'good' },
  failed: { state: 'Failed', tone: 'bad' },
};

const STATUS: Filter = {
  label: 'Status',
  options: [{ value: '', label: 'Any' }, ...Object.entries(DELIVERY_STATES).map(([value, { state: label }]) => ({ value, label }))],
};

const cursors = cursorsOf('webhook deliveries of the dashboard', z.int());

/** The data of the table "Deliveries". */
export async function deliveryList(visit: Visit) {
  const { gateway, member, query, workspaceId } = visit;
  const filter = { workspaceId, status: (readFilter(query, STATUS) || undefined) as WebhookDelivery['status'] | undefined };
  const scope = { orgId: member.orgId, filter };
  const cursor = query.get('page');
  const after = cursor === null ? undefined : cursors.read(gateway.tokens, scope, cursor).id;
  const { items, next } = await listDeliveries(gateway.db, { orgId: member.orgId, ...filter }, { limit: PAGE.default, after });
  const place = next && { createdAt: next.createdAt.toISOString().replace('Z', '000Z'), id: next.number };
  return listView(visit, {
    ...{ name: 'Deliveries', plural: 'deliveries', about: 'Each event of an approval is delivered to each endpoint of its policy.' },
    columns: ['Event', 'To', 'Status', 'Attempts', 'When'],
    filters: [STATUS],
    rows: items.map((item) => rowOf(visit, item)),
    nextPage: place ? cursors.write(gateway.tokens, scope, place) : undefined,
  });
}

function rowOf(visit: Visit, { id, eventType, callbackUrl, status, attempt, errorMessage, createdAt }: ListedDelivery): Cell[] {
  const address = shownAddress(visit, callbackUrl);
  const to = errorMessage === null ? address : { text: address, hint: errorMessage };
  return [{ href: `/webhooks/deliveries/${id}`, text: eventType }, to, DELIVERY_STATES[status], String(attempt), timeCell(createdAt)];
}
