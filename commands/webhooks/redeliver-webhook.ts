import { aboutApproval } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, assertMayDecide, type KeyPrincipal } from '../../domain/principal.ts';
import { findWebhookDelivery, makeDue, type ShownDelivery } from '../../store/webhook-deliveries.ts';
import { isWebhookEndpointUnused, lockWebhookEndpoint, reviveWebhookEndpoint } from '../../store/webhook-endpoints.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Sends a delivery again immediately, also after a success or an answer 410. Throws NOT_FOUND,
 * APPROVAL_DECISION_SCOPE_REQUIRED, and WEBHOOK_REMOVED for a destination that gets no more
 * deliveries.
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
      throw new GatewayError('WEBHOOK_REMOVED', 'The policy was deleted or no longer names this destination, so nothing is sent to it.');
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
