import { randomBytes } from 'node:crypto';
import type { SealedPlace } from '../../infra/vault.ts';
import type { WebhookEndpoint } from '../../store/webhook-endpoints.ts';

/** A new signing secret: 32 random bytes in the format of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The database column and row to which the vault binds a secret of a destination. */
export function sealedPlace(
  { orgId, workspaceId, id }: Pick<WebhookEndpoint, 'orgId' | 'workspaceId' | 'id'>,
  column: 'sealed_secret' | 'former_sealed_secret',
): SealedPlace {
  return { orgId, workspaceId, table: 'webhook_endpoints', column, rowId: id };
}
