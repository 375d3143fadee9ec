import type { Gateway } from '../commands/gateway.ts';
import { DELIVERIES_DUE, type DeliverySender } from '../commands/open-delivery-sender.ts';
import { wipeWebhookSecrets } from '../commands/wipe-webhook-secrets.ts';

/** For what comes due by itself: a claim that ran out, a retry that nobody made, one that was put off. */
const SWEEP_MS = 5000;
const WIPE_MS = 60 * 60 * 1000;
/** A process that is stopped may take so long. */
const PATIENCE_MS = 3000;

/** Sends webhooks as soon as Postgres tells of them, and every five seconds what was missed; wipes secrets that nothing needs, every hour. */
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
