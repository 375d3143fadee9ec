import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { DeliverySender } from '../commands/webhooks/delivery-sender.ts';
import type { WebhookRetry } from '../workflows/contract.ts';

/** Activities on webhook deliveries. */
export function createWebhookActivities(sender: DeliverySender) {
  return {
    /**
     * Makes the next attempt if it is due. If another attempt follows, throws a failure with the
     * delay of that attempt.
     */
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
  };
}
