import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { DeliverySender } from '../commands/open-delivery-sender.ts';
import type { WebhookRetry } from '../workflows/contract.ts';

/** Effects on webhook deliveries. */
export function createWebhookActivities(sender: DeliverySender) {
  return {
    /** Makes the next attempt if it is due; a failure says when to come again. Ends when the delivery has arrived or was given up. */
    async deliverWebhook({ deliveryId }: WebhookRetry): Promise<void> {
      const next = await sender.retry(deliveryId);
      if (!next) return;
      throw ApplicationFailure.create({
        message: 'the delivery is due later',
        type: 'DueLater',
        category: ApplicationFailureCategory.BENIGN, // expected: no warning in the worker's log
        nextRetryDelay: Math.ceil(next.waitSeconds * 1000),
      });
    },

    /** What approvals' workflows of before ask for, which sent webhooks themselves: nothing is left for them to send. */
    async listDeliveries(_: { approvalId: string; event: string }): Promise<string[]> {
      return [];
    },
  };
}
