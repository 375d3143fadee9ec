import { WEBHOOK_SLOTS } from '../../domain/limits.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { coalesceCalls } from '../../infra/concurrency/coalesce-calls.ts';
import { InFlight } from '../../infra/concurrency/in-flight.ts';
import { openServiceOutbound } from '../../infra/service-outbound.ts';
import { type ClaimedDelivery, claimDueDeliveries, claimRetry, secondsUntilDue } from '../../store/webhook-claims.ts';
import type { AttemptOutcome } from '../../store/webhook-outcomes.ts';
import type { Gateway } from '../gateway.ts';
import { DestinationSlots } from './destination-slots.ts';
import { logRetry, openAttempts, RECORD_RETRY_MS, RETRY_SOON_SECONDS } from './make-attempts.ts';

export { DELIVERIES_DUE } from '../../store/webhook-deliveries.ts';

/** Sends due webhook deliveries. Any number of processes can share this work. */
export interface DeliverySender {
  /**
   * Sends due deliveries until none is left or too many are in flight. Resolves when all claimed
   * deliveries are in flight.
   */
  sendDue(): Promise<void>;
  /**
   * Sends a delivery again if a retry is due. Returns the seconds until the next retry; undefined
   * if the delivery has ended.
   */
  retry(deliveryId: string): Promise<{ waitSeconds: number } | undefined>;
  /**
   * Stops claiming, and waits up to `timeoutMs` for deliveries in flight. Other processes repeat
   * unfinished deliveries.
   */
  close(timeoutMs: number): Promise<void>;
}

const BATCH = 200;

/** Opens the sender of one process. */
export function openDeliverySender(gateway: Gateway, outbound: Outbound = webhookOutbound(gateway)): DeliverySender {
  const slots = new DestinationSlots(WEBHOOK_SLOTS);
  const inFlight = new InFlight();
  const attempt = openAttempts(gateway, outbound, slots);
  let isClosed = false;
  let hasMore = false;

  const make = async (delivery: ClaimedDelivery): Promise<AttemptOutcome | undefined> => {
    const { outcome, isAwaited } = await attempt(delivery);
    if (hasMore || isAwaited) void sendDue();
    return outcome;
  };

  const claim = async (): Promise<boolean> => {
    const room = slots.room();
    const total = Math.min(BATCH, room.total);
    hasMore = total === 0;
    if (isClosed || total === 0) return false;
    const due = await claimDueDeliveries(gateway.db, { ...room, total });
    hasMore = due.hasMore;
    for (const delivery of due.claimed) void inFlight.track(make(delivery).then((outcome) => startRetries(gateway, delivery, outcome)));
    return due.claimed.length > 0 && hasMore;
  };

  const sendDue = coalesceCalls(async () => {
    try {
      while (await claim());
    } catch (error) {
      logRetry(gateway, error);
    }
  });

  return {
    sendDue,
    async retry(deliveryId) {
      const room = slots.room();
      const delivery = isClosed || room.total === 0 ? undefined : await claimRetry(gateway.db, deliveryId, room);
      const outcome = delivery && (await inFlight.track(make(delivery)));
      if (outcome) return outcome.retryInSeconds === null ? undefined : { waitSeconds: outcome.retryInSeconds };
      const seconds = await secondsUntilDue(gateway.db, deliveryId);
      return seconds === undefined ? undefined : { waitSeconds: seconds > 0 ? seconds : RETRY_SOON_SECONDS };
    },
    async close(timeoutMs) {
      isClosed = true;
      await inFlight.drain(timeoutMs);
      await outbound.close();
      await inFlight.drain(RECORD_RETRY_MS); // records the interrupted attempts
    },
  };
}

/**
 * An HTTP client without a connection limit per origin, because many destinations can share an
 * origin. `DestinationSlots` limits the deliveries instead.
 */
export function webhookOutbound({ config }: Pick<Gateway, 'config'>): Outbound {
  return openServiceOutbound(config, { connectionsOfOrigin: null });
}

/**
 * Starts the workflow that retries the delivery. If the start fails, a later claim finds the
 * delivery overdue.
 */
async function startRetries(gateway: Gateway, delivery: ClaimedDelivery, outcome: AttemptOutcome | undefined): Promise<void> {
  if (outcome?.status !== 'retrying') return;
  const { id: deliveryId, approvalId, orgId, eventType } = delivery;
  const start = { deliveryId, approvalId, orgId, eventType, delaySeconds: outcome.retryInSeconds ?? 0 };
  await gateway.orchestrator.startDelivery(start).catch((error) => logRetry(gateway, error));
}
