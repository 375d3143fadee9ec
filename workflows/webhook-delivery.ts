import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createWebhookActivities } from '../activities/webhooks.ts';
import { type WebhookRetry, webhookTaskQueue } from './contract.ts';

/**
 * The retries of one delivery: an activity that is retried when the schedule says so, as it answers itself (decisions section 3, Webhook
 * schedule), and sooner after an outage on our side. Carries ids only.
 */
export async function webhookDeliveryWorkflow(retry: WebhookRetry): Promise<void> {
  const { deliverWebhook } = proxyActivities<ReturnType<typeof createWebhookActivities>>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '45 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });
  await deliverWebhook(retry);
}
