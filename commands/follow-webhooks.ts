import { randomUUID } from 'node:crypto';
import type { Policy } from '../domain/policy.ts';
import type { Db } from '../infra/database.ts';
import {
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  findWebhookEndpointByUrl,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  reviveWebhookEndpoint,
} from '../store/webhook-endpoints.ts';
import type { Gateway } from './gateway.ts';
import { newWebhookSecret, sealedPlace } from './webhook-secret.ts';

/**
 * Follows the webhook approvers that a policy was given, in the caller's transaction: each gets an endpoint with a secret of its own, those that
 * are approvers no more are disabled, and one that had answered 410 is tried again with the secret it had. Answers the new secrets by URL,
 * in plain text, this once (decisions section 3, Webhook secret).
 */
export async function followWebhooks(gateway: Gateway, tx: Db, policy: Policy): Promise<Map<string, string>> {
  const wanted = new Set(policy.approvers.flatMap((approver) => (approver.type === 'webhook' ? approver.webhookUrl : [])));
  const endpoints = await listWebhookEndpoints(tx, policy.id);
  for (const { id, url } of endpoints) {
    if (wanted.has(url)) await reviveWebhookEndpoint(tx, id);
    else await disableWebhookEndpoint(tx, id);
  }

  const secrets = new Map<string, string>();
  for (const url of wanted) {
    if (!endpoints.some((endpoint) => endpoint.url === url)) secrets.set(url, await openEndpoint(gateway, tx, policy, url));
  }
  return secrets;
}

async function openEndpoint(gateway: Gateway, tx: Db, { orgId, id: policyId }: Policy, url: string): Promise<string> {
  const former = await findWebhookEndpointByUrl(tx, policyId, url);
  const id = former?.id ?? randomUUID();
  const secret = newWebhookSecret();
  const sealedSecret = await gateway.vault.seal(tx, sealedPlace({ orgId, id }, 'sealed_secret'), secret);
  if (former) await enableWebhookEndpoint(tx, id, sealedSecret);
  else await insertWebhookEndpoint(tx, { id, orgId, policyId, url, sealedSecret });
  return secret;
}
