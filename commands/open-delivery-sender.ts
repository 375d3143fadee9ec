import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_PLACES, WEBHOOK_PUT_OFF_SECONDS } from '../domain/limits.ts';
import type { Outbound } from '../domain/outbound.ts';
import { openOutbound } from '../infra/outbound.ts';
import { type ClaimedDelivery, claimDueDeliveries, claimRetry, secondsUntilDue } from '../store/webhook-claims.ts';
import { putOffDeliveries } from '../store/webhook-deliveries.ts';
import type { AttemptOutcome } from '../store/webhook-outcomes.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { openDestinationPlaces } from './destination-places.ts';
import type { Gateway } from './gateway.ts';
import { inBatches } from './in-batches.ts';
import { type MadeAttempt, recordAttempts } from './record-attempts.ts';

export { DELIVERIES_DUE } from '../store/webhook-deliveries.ts';

/** What sends webhooks in a process. Any number of them may share a database. */
export interface DeliverySender {
  /** Claims what is due and sends it, until there is nothing left or no place. Answers once everything claimed is on its way. */
  sendDue(): Promise<void>;
  /** Makes a retry that is due; answers how many seconds to wait until there is something to do, or nothing when the delivery is over. */
  retry(deliveryId: string): Promise<{ waitSeconds: number } | undefined>;
  /** Claims nothing more, and waits so long for what is on its way. What is left then is sent again, by whoever finds it. */
  close(patienceMs: number): Promise<void>;
}

/** How many at most are claimed at once. */
const BATCH = 200;
/** When there was no place for a retry, or our own side failed. */
const SOON_SECONDS = 5;
const RECORD_AGAIN_MS = 500;
/** Then the claim is somebody else's. */
const RECORD_FOR_MS = 15_000;

export function openDeliverySender(gateway: Gateway, outbound: Outbound = webhookOutbound(gateway)): DeliverySender {
  const places = openDestinationPlaces(WEBHOOK_PLACES);
  const onTheirWay = new Set<Promise<unknown>>();
  const record = inBatches((made: MadeAttempt[]) => recordPatiently(gateway, made));
  let isClosed = false;
  let hasMore = false;

  /** Makes a claimed attempt and writes down what came of it; answers the outcome, or nothing when it was not ours any more. */
  const make = async (delivery: ClaimedDelivery): Promise<AttemptOutcome | undefined> => {
    places.take(delivery);
    const made = { delivery, ...(await attempt(delivery)) };
    places.giveBack(delivery, made.isSilent);
    const isAwaited = await record(made);
    if (made.isSilent) await putOff(delivery.endpointId);
    if (hasMore || isAwaited) void sendDue();
    return isAwaited === undefined ? undefined : made.outcome;
  };

  const attempt = async (delivery: ClaimedDelivery) => {
    try {
      return await attemptDelivery(gateway, outbound, delivery);
    } catch (error) {
      gateway.logger.warn({ deliveryId: delivery.id, err: error }, 'a webhook could not be sent for a reason of our own; again soon');
      return { outcome: notNow(delivery), isGone: false, isSilent: false };
    }
  };

  const putOff = inBatches(async (endpointIds: string[]) => {
    await putOffDeliveries(gateway.db, [...new Set(endpointIds)], WEBHOOK_PUT_OFF_SECONDS).catch((error) => logLater(gateway, error));
    return () => undefined;
  });

  const sendFirst = async (delivery: ClaimedDelivery) => {
    const outcome = await make(delivery);
    if (outcome?.status !== 'retrying') return;
    const { id: deliveryId, approvalId, orgId, eventType } = delivery;
    const start = { deliveryId, approvalId, orgId, eventType, delaySeconds: outcome.retryInSeconds ?? 0 };
    // What Temporal is not told now is found overdue later.
    await gateway.orchestrator.startDelivery(start).catch((error) => logLater(gateway, error));
  };

  const keep = (work: Promise<unknown>) => {
    onTheirWay.add(work);
    void work.finally(() => onTheirWay.delete(work));
  };

  const claim = async (): Promise<boolean> => {
    const room = places.room();
    const total = Math.min(BATCH, room.total);
    hasMore = total === 0;
    if (isClosed || total === 0) return false;
    const due = await claimDueDeliveries(gateway.db, { ...room, total });
    hasMore = due.hasMore;
    for (const delivery of due.claimed) keep(sendFirst(delivery));
    return due.claimed.length > 0 && hasMore;
  };

  const sendDue = oneAfterAnother(async () => {
    try {
      while (await claim());
    } catch (error) {
      logLater(gateway, error);
    }
  });

  return {
    sendDue,
    async retry(deliveryId) {
      const room = places.room();
      const delivery = isClosed || room.total === 0 ? undefined : await claimRetry(gateway.db, deliveryId, room);
      const making = delivery && make(delivery);
      if (making) keep(making);
      const outcome = await making;
      if (outcome) return outcome.retryInSeconds === null ? undefined : { waitSeconds: outcome.retryInSeconds };
      const seconds = await secondsUntilDue(gateway.db, deliveryId);
      return seconds === undefined ? undefined : { waitSeconds: seconds > 0 ? seconds : SOON_SECONDS };
    },
    async close(patienceMs) {
      isClosed = true;
      const atMost = (ms: number) => Promise.race([Promise.allSettled(onTheirWay), delay(ms, undefined, { ref: false })]);
      await atMost(patienceMs);
      await outbound.close();
      await atMost(RECORD_AGAIN_MS); // what was cut off is written down
    },
  };
}

/** A pool apart from that of the integrations: many destinations may share one origin, and the places are what limits them. */
function webhookOutbound({ config }: Gateway): Outbound {
  return openOutbound(config.outbound, { connectionsOfOrigin: null });
}

/** Not counted, and tried again soon. */
function notNow({ id, attempt, status }: ClaimedDelivery): AttemptOutcome {
  return { id, attempt, status, httpStatus: null, errorMessage: null, retryInSeconds: SOON_SECONDS, isSent: false };
}

/** Writes attempts down, again and again while the database is away; then others make them anew, with the same delivery ids. */
async function recordPatiently(gateway: Gateway, made: MadeAttempt[]): Promise<(attempt: MadeAttempt) => boolean | undefined> {
  for (const end = Date.now() + RECORD_FOR_MS; ; await delay(RECORD_AGAIN_MS)) {
    try {
      const isAwaited = await recordAttempts(gateway, made);
      return ({ delivery }) => isAwaited.get(delivery.id);
    } catch (error) {
      logLater(gateway, error);
      if (Date.now() > end) return () => undefined;
    }
  }
}

function logLater({ logger }: Gateway, error: unknown): void {
  logger.warn({ error: String(error) }, 'webhooks: not now, again soon');
}

/** Runs the work now, or once more after the run that is on; never twice at a time. */
function oneAfterAnother(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAsked = false;
  return () => {
    isAsked = true;
    running ??= (async () => {
      while (isAsked) {
        isAsked = false;
        await work();
      }
      running = undefined;
    })();
    return running;
  };
}
