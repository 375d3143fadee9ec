import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';
import type { ApprovalLinks } from '../approvals/approval-links.ts';

/**
 * The body of a delivery (docs/webhooks.md): the stored payload with these links in its approval.
 */
export function deliveryBody({ payload, createdAt }: Pick<WebhookDelivery, 'payload' | 'createdAt'>, links: ApprovalLinks): object {
  const approval = payload.approval as object;
  return { ...payload, createdAt: createdAt.toISOString(), approval: { ...approval, ...links } };
}
