import { createHmac, randomInt } from 'node:crypto';
import { WEBHOOK_JITTER, WEBHOOK_SCHEDULE_SECONDS, WEBHOOK_TIMEOUT_SECONDS } from '../domain/limits.ts';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import { OutboundError } from '../infra/outbound-error.ts';
import { findApprovalById } from '../store/approvals.ts';
import { findWebhookDelivery, recordAttempt } from '../store/webhook-deliveries.ts';
import { disableWebhookEndpoint, findWebhookEndpoint, type WebhookEndpoint } from '../store/webhook-endpoints.ts';
import { approvalLinks } from './approval-links.ts';
import type { Gateway } from './gateway.ts';

export type AttemptResult = { status: 'success' | 'failed' } | { status: 'retrying'; retryInSeconds: number };

/** Sends a delivery once more, signed, and writes down how it went (decisions section 3). Attempts are counted on its row, so no outage uses one up. */
export async function attemptDelivery(gateway: Gateway, deliveryId: string): Promise<AttemptResult> {
  const delivery = await findWebhookDelivery(gateway.db, deliveryId);
  const endpoint = delivery && (await findWebhookEndpoint(gateway.db, delivery.endpointId));
  if (!delivery || !endpoint || delivery.status === 'success') return { status: 'success' };
  const attempt = delivery.attempt + 1;
  if (endpoint.disabledAt) {
    await recordAttempt(gateway.db, deliveryId, {
      status: 'failed',
      httpStatus: null,
      errorMessage: 'the destination answered 410 before and is disabled',
    });
    return { status: 'failed' };
  }

  const answer = await send(gateway, delivery, endpoint, attempt);
  if (answer.ok) {
    await recordAttempt(gateway.db, deliveryId, { status: 'success', httpStatus: answer.httpStatus, errorMessage: null });
    return { status: 'success' };
  }
  if (answer.httpStatus === 410) await disableWebhookEndpoint(gateway.db, endpoint.id);
  const delay = answer.httpStatus === 410 ? undefined : delayAfter(attempt, answer.retryAfterSeconds);
  const status = delay === undefined ? 'failed' : 'retrying';
  await recordAttempt(gateway.db, deliveryId, { status, httpStatus: answer.httpStatus, errorMessage: answer.message });
  return delay === undefined ? { status: 'failed' } : { status: 'retrying', retryInSeconds: delay };
}

interface SendAnswer {
  ok: boolean;
  httpStatus: number | null;
  message: string;
  retryAfterSeconds?: number | undefined;
}

async function send(gateway: Gateway, delivery: WebhookDelivery, endpoint: WebhookEndpoint, attempt: number): Promise<SendAnswer> {
  const body = JSON.stringify(await withLinks(gateway, delivery));
  try {
    const response = await gateway.outbound.request({
      url: endpoint.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'integration-gateway',
        ...(await signatureHeaders(gateway, delivery, endpoint, attempt, body)),
      },
      body,
      timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1000,
      maxBytes: 64 * 1024,
      redirects: 'none',
    });
    const ok = response.status >= 200 && response.status < 300;
    return {
      ok,
      httpStatus: response.status,
      message: `the receiver answered ${response.status}`,
      retryAfterSeconds: retryAfter(response.headers['retry-after']),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { ok: false, httpStatus: null, message: error.message };
  }
}

/** Bearer links are made when a delivery is sent, and stored nowhere. */
async function withLinks(gateway: Gateway, delivery: WebhookDelivery): Promise<Record<string, unknown>> {
  const approval = await findApprovalById(gateway.db, delivery.approvalId);
  const links = approval ? approvalLinks(gateway, approval) : {};
  return { ...delivery.payload, approval: { ...(delivery.payload.approval as object), ...links } };
}

/** The specification's headers and, beside them, those of Standard Webhooks. */
async function signatureHeaders(gateway: Gateway, delivery: WebhookDelivery, endpoint: WebhookEndpoint, attempt: number, body: string) {
  const secret = await gateway.vault.open(
    gateway.db,
    { orgId: endpoint.orgId, table: 'webhook_endpoints', column: 'sealed_secret', rowId: endpoint.id },
    endpoint.sealedSecret,
  );
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = Math.floor(Date.now() / 1000);
  const sign = (text: string, encoding: 'hex' | 'base64') => createHmac('sha256', key).update(text).digest(encoding);
  return {
    'x-svc-event': delivery.eventType,
    'x-svc-delivery': delivery.id,
    'x-svc-attempt': String(attempt),
    'x-svc-approval': delivery.approvalId,
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': `t=${timestamp},v1=${sign(`${timestamp}.${body}`, 'hex')}`,
    'webhook-id': delivery.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${sign(`${delivery.id}.${timestamp}.${body}`, 'base64')}`,
  };
}

/** Seconds to the next attempt, with jitter; undefined when this was the last. */
function delayAfter(attempt: number, retryAfterSeconds: number | undefined): number | undefined {
  const planned = WEBHOOK_SCHEDULE_SECONDS[attempt];
  if (planned === undefined) return undefined;
  const jitter = 1 + WEBHOOK_JITTER * (randomInt(2001) / 1000 - 1);
  return Math.max(planned * jitter, retryAfterSeconds ?? 0);
}

const RETRY_AFTER_MAX_SECONDS = 24 * 60 * 60;

function retryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), RETRY_AFTER_MAX_SECONDS) : undefined;
}
