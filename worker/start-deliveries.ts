import type { Gateway } from '../commands/gateway.ts';
import { DELIVERIES_DUE, type DeliverySender } from '../commands/webhooks/delivery-sender.ts';
import { wipeWebhookSecrets } from '../commands/webhooks/wipe-webhook-secrets.ts';

/**
 * Interval of the search for due deliveries that cause no notification: overdue retries, postponed
 * deliveries, and deliveries whose claim has expired.
 */
const SWEEP_MS = 5000;
const WIPE_MS = 60 * 60 * 1000;
/** Time in ms that deliveries under way get when the process stops. */
const PATIENCE_MS = 3000;

/**
 * Sends due webhooks after each notification from Postgres and every five seconds. Deletes unused
 * webhook secrets now and every hour.
 */
export function startDeliveries(gateway: Gateway, sender: DeliverySender): { stop(): Promise<void> } {
  const unsubscribe = gateway.notices.subscribe(DELIVERIES_DUE, () => void sender.sendDue());
  const wipe = () => void wipeWebhookSecrets(gateway);
  wipe();
  const timers = [setInterval(() => void sender.sendDue(), SWEEP_MS), setInterval(wipe, WIPE_MS)];
  let stopping: Promise<void> | undefined;
  return {
    stop: () => {
      unsubscribe();
      for (const timer of timers) clearInterval(timer);
      stopping ??= sender.close(PATIENCE_MS);
      return stopping;
    },
  };
}
