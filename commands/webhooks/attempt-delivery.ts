import { WEBHOOK_TIMEOUT_SECONDS } from '../../domain/limits.ts';
import type { Outbound, OutboundResponse } from '../../domain/outbound.ts';
import { retryAfterSeconds, retryDelaySeconds } from '../../domain/webhook-retry.ts';
import { OutboundError, OwnAddressError } from '../../infra/outbound-error.ts';
import type { ClaimedDelivery } from '../../store/webhook-claims.ts';
import type { AttemptOutcome } from '../../store/webhook-outcomes.ts';
import { GONE_MESSAGE, GONE_NOW_MESSAGE } from '../approvals/announce-approval.ts';
import { decidingLinks } from '../approvals/approval-links.ts';
import type { Gateway } from '../gateway.ts';
import { deliveryBody } from './delivery-body.ts';
import { signDelivery } from './sign-delivery.ts';

export interface Attempt {
  outcome: AttemptOutcome;
  /** True if the destination answered 410. */
  isGone: boolean;
  /** True if the destination did not answer within the time limit. */
  isSilent: boolean;
}

/**
 * Signs a claimed delivery and sends it once (contract decisions 3, Webhook success and schedule).
 * Sends nothing to a destination that was removed or is gone.
 */
export async function attemptDelivery(gateway: Gateway, outbound: Outbound, delivery: ClaimedDelivery): Promise<Attempt> {
  const { sealedSecret } = delivery;
  if (delivery.disabledAt || !sealedSecret) return unsent(delivery, 'The policy was deleted or does not name this destination any more.');
  if (delivery.goneAt) return unsent(delivery, GONE_MESSAGE);

  const body = JSON.stringify(bodyOf(gateway, delivery));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'integration-gateway',
    'x-svc-event': delivery.eventType,
    'x-svc-delivery': delivery.id,
    'x-svc-attempt': String(delivery.attempt),
    'x-svc-approval': delivery.approvalId,
    ...(await signDelivery(gateway, { ...delivery, sealedSecret }, body)),
  };
  const timeoutMs = WEBHOOK_TIMEOUT_SECONDS * 1000;
  try {
    return answered(
      delivery,
      await outbound.request({ url: delivery.url, method: 'POST', headers, body, timeoutMs, discardsBody: true, redirects: 'none' }),
    );
  } catch (error) {
    // The settings of the service cause this error, so a retry would not help.
    if (error instanceof OwnAddressError) return unsent(delivery, error.message);
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: retryOrGiveUp(delivery, null, error.message), isGone: false, isSilent: error.kind === 'timeout' };
  }
}

/** The bearer links in the body are created for each attempt and never stored. */
function bodyOf(gateway: Gateway, { approvalId: id, approvalAccessMode, approvers, ...delivery }: ClaimedDelivery): object {
  return deliveryBody(delivery, decidingLinks(gateway, { id, approvalAccessMode, approvers }));
}

function unsent({ id, attempt }: ClaimedDelivery, errorMessage: string): Attempt {
  const outcome = { id, attempt, status: 'failed', httpStatus: null, errorMessage, retryInSeconds: null, isSent: false } as const;
  return { outcome, isGone: false, isSilent: false };
}

function answered(delivery: ClaimedDelivery, { status, headers }: OutboundResponse): Attempt {
  const { id, attempt } = delivery;
  const common = { id, attempt, httpStatus: status, retryInSeconds: null, isSent: true };
  const was = { isGone: status === 410, isSilent: false };
  if (status >= 200 && status < 300) return { outcome: { ...common, status: 'success', errorMessage: null }, ...was };
  const message = `The receiver answered ${status}${status >= 300 && status < 400 ? '; redirects are not followed' : ''}.`;
  if (was.isGone) return { outcome: { ...common, status: 'failed', errorMessage: `${message} ${GONE_NOW_MESSAGE}` }, ...was };
  return { outcome: retryOrGiveUp(delivery, status, message, retryAfterSeconds(headers['retry-after'], delivery.claimedAt)), ...was };
}

function retryOrGiveUp(
  { id, attempt }: ClaimedDelivery,
  httpStatus: number | null,
  errorMessage: string,
  retryAfter?: number,
): AttemptOutcome {
  const retryInSeconds = retryDelaySeconds(attempt, Math.random(), retryAfter) ?? null;
  return { id, attempt, status: retryInSeconds === null ? 'failed' : 'retrying', httpStatus, errorMessage, retryInSeconds, isSent: true };
}
