import { createWebhookActivities } from '../../activities/webhooks.ts';
import type { DeliverySender } from '../../commands/webhooks/delivery-sender.ts';

test('a delivery that is not due yet is retried later, without a warning', async () => {
  const sender = { retry: async () => ({ waitSeconds: 1.2345 }) } as unknown as DeliverySender;
  await expect(createWebhookActivities(sender).deliverWebhook({ deliveryId: 'one' })).rejects.toMatchObject({
    type: 'DueLater',
    nextRetryDelay: 1235,
    nonRetryable: false,
    category: 'BENIGN',
  });
});

test('the activity ends without an error if the sender asks for no later attempt', async () => {
  const sender = { retry: async () => undefined } as unknown as DeliverySender;
  await expect(createWebhookActivities(sender).deliverWebhook({ deliveryId: 'one' })).resolves.toBeUndefined();
});
