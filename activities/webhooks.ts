import { ApplicationFailure } from '@temporalio/activity';
import { attemptDelivery } from '../commands/attempt-delivery.ts';
import type { Gateway } from '../commands/gateway.ts';
import type { ApprovalEvent } from '../domain/approval.ts';
import { listOpenDeliveryIds } from '../store/webhook-deliveries.ts';

/** Effects on webhook deliveries. */
export function createWebhookActivities(gateway: Gateway) {
  return {
    /** The deliveries of an event that are still to be made. */
    async listDeliveries({ approvalId, event }: { approvalId: string; event: string }): Promise<string[]> {
      return listOpenDeliveryIds(gateway.db, approvalId, event as ApprovalEvent);
    },

    /** One attempt; a failure says when the next one is due. */
    async deliverWebhook({ deliveryId }: { deliveryId: string }): Promise<'success' | 'failed'> {
      const result = await attemptDelivery(gateway, deliveryId);
      if (result.status !== 'retrying') return result.status;
      throw ApplicationFailure.create({
        message: 'the receiver did not take it',
        type: 'DeliveryFailed',
        nextRetryDelay: result.retryInSeconds * 1000,
      });
    },
  };
}
