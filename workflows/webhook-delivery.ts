import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createWebhookActivities } from '../activities/webhooks.ts';
import { type WebhookRetry, webhookTaskQueue } from './contract.ts';

/**
 * Retries one delivery. The failure of the activity carries the delay until the next attempt
 * (contract decisions 3, Webhook schedule).
 */
export async function webhookDeliveryWorkflow(retry: WebhookRetry): Promise<void> {
  const { deliverWebhook } = proxyActivities<ReturnType<typeof createWebhookActivities>>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '45 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });
  await deliverWebhook(retry);
}
