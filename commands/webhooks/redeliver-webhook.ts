import { aboutApproval } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, assertMayDecide, type KeyPrincipal } from '../../domain/principal.ts';
import { findWebhookDelivery, makeDue, type ShownDelivery } from '../../store/webhook-deliveries.ts';
import { isWebhookEndpointUnused, lockWebhookEndpoint, reviveWebhookEndpoint } from '../../store/webhook-endpoints.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Sends a delivery again immediately, with its id and the next attempt number. This works after a
 * success, after a failure, and after an answer 410. Repeated requests before the attempt ends
 * cause only one attempt. Throws NOT_FOUND and APPROVAL_DECISION_SCOPE_REQUIRED. Throws
 * WEBHOOK_REMOVED if the policy no longer names the destination, or if the policy was deleted and
 * the destination gets no more deliveries.
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
