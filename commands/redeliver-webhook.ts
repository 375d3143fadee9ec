import { aboutApproval } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import { actorOf, assertMayDecide, type KeyPrincipal } from '../domain/principal.ts';
import { findWebhookDelivery, makeDue, type ShownDelivery } from '../store/webhook-deliveries.ts';
import { isWebhookEndpointUnused, lockWebhookEndpoint, reviveWebhookEndpoint } from '../store/webhook-endpoints.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

/**
 * Has a delivery made once more, at once, with the id it has and the next attempt number, whatever came of it before. A destination that had
 * answered 410 is used again. Asked for again before that attempt is over, it is still one attempt. Throws NOT_FOUND,
 * APPROVAL_DECISION_SCOPE_REQUIRED, and WEBHOOK_REMOVED where the policy does not name the destination any more, or is deleted and nothing of it is
 * open.
 */
export async function redeliverWebhook(
  gateway: Gateway,
  principal: KeyPrincipal,
  approval: Approval,
  deliveryId: string,
): Promise<ShownDelivery> {
  return gateway.db.transaction(async (tx) => {
    const delivery = await findWebhookDelivery(tx, approval.id, deliveryId);
    if (!delivery) throw new GatewayError('NOT_FOUND', 'This approval has no such webhook delivery.');
    assertMayDecide(principal);
    const endpoint = await lockWebhookEndpoint(tx, delivery.endpointId);
    if (!endpoint?.sealedSecret || endpoint.disabledAt || (await isWebhookEndpointUnused(tx, endpoint.id)))
      throw new GatewayError('WEBHOOK_REMOVED', 'The policy does not name this destination any more, so nothing is sent to it.');
    await reviveWebhookEndpoint(tx, endpoint.id);
    const { status: before, attempt, eventType } = delivery;
    if (await makeDue(tx, deliveryId)) {
      const details = { event: eventType, attempts: attempt, status: before };
      await recordActivity(tx, {
        ...aboutApproval(approval),
        type: 'webhook.redelivery_asked',
        actor: actorOf(principal),
        deliveryId,
        details,
      });
    }
    return (await findWebhookDelivery(tx, approval.id, deliveryId))!;
  });
}
