import { z } from 'zod';
import { getApproval } from '../../../commands/approvals/get-approval.ts';
import { redeliverWebhook } from '../../../commands/webhooks/redeliver-webhook.ts';
import { type Route, route } from '../../route.ts';
import { emptyBody, uuid } from '../../schemas.ts';
import { presentWebhookDelivery } from './present.ts';
import { approvalId, webhookDelivery } from './schema.ts';

/** Deliveries of an approval's webhooks (contract decisions 3, `webhookDeliveries` items). */
export const webhookDeliveryRoutes: Route[] = [
  route({
    tag: 'Approvals',
    path: '/api/v1/approvals/{id}/webhook-deliveries/{deliveryId}/redeliver',
    method: 'post',
    params: z.object({ id: approvalId, deliveryId: uuid }),
    notFound: 'APPROVAL_NOT_FOUND',
    summary: 'Send a webhook delivery again; works for every status',
    description:
      'The delivery keeps its id and its count of attempts. A destination that answered 410 is used again. The delivery is sent immediately. The answer does not wait for the outcome; `status` shows the outcome later.',
    body: emptyBody,
    answers: { 200: z.object({ webhookDelivery }) },
    errors: ['APPROVAL_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED', 'WEBHOOK_REMOVED'],
    handle: async ({ gateway, principal, params }) => {
      const approval = await getApproval(gateway, principal, params.id);
      return { webhookDelivery: presentWebhookDelivery(await redeliverWebhook(gateway, principal, approval, params.deliveryId)) };
    },
  }),
];
