import { WEBHOOK_PUT_OFF_SECONDS } from '../../domain/limits.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { batchCalls } from '../../infra/concurrency/batch-calls.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import type { ClaimedDelivery } from '../../store/webhook-claims.ts';
import { putOffDeliveries } from '../../store/webhook-deliveries.ts';
import type { AttemptOutcome } from '../../store/webhook-outcomes.ts';
import type { Gateway } from '../gateway.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DestinationSlots } from './destination-slots.ts';
import { type MadeAttempt, recordAttempts } from './record-attempts.ts';

/** Time until the retry after a failure of the service itself. */
export const RETRY_SOON_SECONDS = 5;

/** Time between attempts to record an outcome. */
export const RECORD_RETRY_MS = 500;

/** Retry window in ms. Later, the claim expires, and another process can claim the delivery. */
const RECORD_TIMEOUT_MS = 15_000;

export interface Attempted {
  /** Undefined if the claim was lost or the outcome could not be recorded. */
  outcome: AttemptOutcome | undefined;
  /**
   * True if a later event of the same approval, to the same destination, waits for this delivery.
   */
  isAwaited: boolean;
}

/** A function that attempts a claimed delivery once and records the outcome. Never rejects. */
export function openAttempts(
  gateway: Gateway,
  outbound: Outbound,
  slots: DestinationSlots,
): (delivery: ClaimedDelivery) => Promise<Attempted> {
  const record = batchCalls((made: MadeAttempt[]) => recordWithRetry(gateway, made));
  const putOff = batchCalls(async (endpointIds: string[]) => {
    await putOffDeliveries(gateway.db, [...new Set(endpointIds)], WEBHOOK_PUT_OFF_SECONDS).catch((error) => logRetry(gateway, error));
    return () => undefined;
  });
  return async (delivery) => {
    slots.take(delivery);
    const made = { delivery, ...(await attempt(gateway, outbound, delivery)) };
    slots.free(delivery, made.isSilent);
    const isAwaited = await record(made);
    if (made.isSilent) await putOff(delivery.endpointId);
    return { outcome: isAwaited === undefined ? undefined : made.outcome, isAwaited: isAwaited ?? false };
  };
}

/** Logs a failure of the service itself. A later attempt repeats the work. */
export function logRetry({ logger }: Pick<Gateway, 'logger'>, error: unknown): void {
  logger.warn({ error: String(error) }, 'webhook delivery interrupted, retrying later');
}

async function attempt(
  gateway: Gateway,
  outbound: Outbound,
  delivery: ClaimedDelivery,
): Promise<Omit<MadeAttempt, 'delivery'> & { isSilent: boolean }> {
  try {
    return await attemptDelivery(gateway, outbound, delivery);
  } catch (error) {
    gateway.logger.warn({ deliveryId: delivery.id, err: error }, 'webhook attempt failed internally, retrying soon');
    return { outcome: notSent(delivery), isGone: false, isSilent: false };
  }
}

/** The attempt does not count. */
function notSent({ id, attempt, status }: ClaimedDelivery): AttemptOutcome {
  return { id, attempt, status, httpStatus: null, errorMessage: null, retryInSeconds: RETRY_SOON_SECONDS, isSent: false };
}

/**
 * Records attempts. The returned function gives `isAwaited` of an attempt; undefined if its claim
 * was lost or the attempts could not be recorded. If the database stays unavailable, other
 * processes repeat the attempts with the same delivery ids.
 */
async function recordWithRetry(gateway: Gateway, made: MadeAttempt[]): Promise<(attempt: MadeAttempt) => boolean | undefined> {
  const options = {
    until: AbortSignal.timeout(RECORD_TIMEOUT_MS),
    backoff: { firstMs: RECORD_RETRY_MS },
    onRetry: (error: unknown) => logRetry(gateway, error),
  };
  try {
    const isAwaited = await retry(options, () => recordAttempts(gateway, made));
    return ({ delivery }) => isAwaited.get(delivery.id);
  } catch (error) {
    logRetry(gateway, error);
    return () => undefined;
  }
}
