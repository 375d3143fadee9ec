import { randomBytes } from 'node:crypto';
import type { SealedPlace } from '../infra/vault.ts';
import type { WebhookEndpoint } from '../store/webhook-endpoints.ts';

/** A new signing secret: 32 random bytes, written as Standard Webhooks has it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Where a destination's secret is sealed: the one that is handed out, or the one before it. */
export function sealedPlace(
  { orgId, id }: Pick<WebhookEndpoint, 'orgId' | 'id'>,
  column: 'sealed_secret' | 'former_sealed_secret',
): SealedPlace {
  return { orgId, table: 'webhook_endpoints', column, rowId: id };
}
