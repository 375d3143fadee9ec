import { getApproval } from '../../../../commands/approvals/get-approval.ts';
import { getDelivery, type ShownWebhookDelivery } from '../../../../commands/webhooks/get-delivery.ts';
import { redeliverWebhook } from '../../../../commands/webhooks/redeliver-webhook.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { type DeliveryEvent, listDeliveryEvents } from '../../../../store/webhook-list.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { type Cell, listView, timeCell } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { DELIVERY_STATES } from './delivery-list.ts';
import { shownAddress } from './shown-address.ts';

const PATH = '/webhooks/deliveries/{id}';
/** Maximum number of listed events: enough for ten automatic attempts and many requested ones. */
const MAX_EVENTS = 100;

/** Screens that show a delivery and send it again. */
export const deliveryScreens: readonly Screen[] = [
  { ...{ path: PATH, role: 'viewer', navigation: 'Webhooks' }, get: async (visit) => deliveryPage(visit, await readDelivery(visit)) },
  {
    ...{ path: `${PATH}/send`, role: 'member', navigation: 'Webhooks' },
    post: async (visit) => {
      const delivery = await readDelivery(visit);
      const { gateway, principal } = visit;
      try {
        await redeliverWebhook(gateway, principal, await getApproval(gateway, principal, delivery.approvalId), delivery.id);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status !== 409) throw error;
        return deliveryPage(visit, delivery, error.message);
      }
      return { seeOther: `/webhooks/deliveries/${delivery.id}`, done: 'The webhook is sent again.' };
    },
  },
];

async function readDelivery({ gateway, principal, params }: Visit): Promise<ShownWebhookDelivery> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getDelivery(gateway, principal, id.data);
}

async function deliveryPage(visit: Visit, delivery: ShownWebhookDelivery, problem?: string): Promise<AppPage> {
  const events = await listDeliveryEvents(visit.gateway.db, delivery, MAX_EVENTS);
  const title = `${delivery.eventType} to ${new URL(delivery.callbackUrl).host}`;
  const { policyId, policyName, nextAttemptAt, callbackUrl, approvalId, createdAt } = delivery;
  const facts: { name: string; cell: Cell }[] = [
    { name: 'Status', cell: DELIVERY_STATES[delivery.status] },
    { name: 'To', cell: shownAddress(visit, callbackUrl) },
    { name: 'Approval', cell: { href: `/approvals/${approvalId}`, text: approvalId } },
    ...(policyId === null ? [] : [{ name: 'Policy', cell: { href: `/policies/${policyId}`, text: policyName ?? policyId } }]),
    { name: 'Happened', cell: timeCell(createdAt) },
    ...(nextAttemptAt === null ? [] : [{ name: 'Next attempt', cell: timeCell(nextAttemptAt) }]),
  ];
  return {
    ...{ status: problem === undefined ? 200 : 409, title, template: 'webhooks/delivery' },
    data: {
      ...{ title, id: delivery.id, facts, problem, maySend: visit.principal.mayDecide },
      attempts: listView(visit, {
        ...{ name: 'Attempts', plural: 'attempts', about: 'The first attempt is made immediately.' },
        columns: ['Attempt', 'Outcome', 'Status code', 'When'],
        rows: events.map(rowOf),
      }),
      body: JSON.stringify(delivery.body, null, 2),
    },
  };
}

const OUTCOMES: Record<DeliveryEvent['type'], Extract<Cell, { state: string }>> = {
  'webhook.delivered': { state: 'Arrived', tone: 'good' },
  'webhook.attempt_failed': { state: 'Failed, tried again', tone: 'waiting' },
  'webhook.given_up': { state: 'Failed, given up', tone: 'bad' },
  'webhook.redelivery_asked': { state: 'Somebody sent it again', tone: 'quiet' },
};

function rowOf({ type, details, createdAt }: DeliveryEvent): Cell[] {
  const { attempt, httpStatus, errorMessage } = details;
  const first = attempt === undefined || attempt === 0 ? '–' : String(attempt);
  return [
    errorMessage === undefined ? first : { text: first, hint: errorMessage },
    OUTCOMES[type],
    httpStatus === null || httpStatus === undefined ? '–' : String(httpStatus),
    timeCell(createdAt),
  ];
}
