import { randomUUID } from 'node:crypto';
import type { Policy } from '../../domain/policies/policy.ts';
import type { Db } from '../../infra/database.ts';
import {
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  findWebhookEndpointByUrl,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  reviveWebhookEndpoint,
} from '../../store/webhook-endpoints.ts';
import type { Gateway } from '../gateway.ts';
import { newWebhookSecret, sealedPlace } from './webhook-secret.ts';

/**
 * Adds, enables and disables the destinations of a policy as its webhook approvers say. Returns the
 * secrets of added and enabled destinations, by URL. They are never shown again (contract decisions
 * 3, Webhook secret).
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

async function openEndpoint(gateway: Gateway, tx: Db, policy: Policy, url: string): Promise<string> {
  const { orgId, id: policyId } = policy;
  const former = await findWebhookEndpointByUrl(tx, policyId, url);
  const { id, workspaceId } = former ?? { id: randomUUID(), workspaceId: policy.workspaceId };
  const secret = newWebhookSecret();
  const sealedSecret = await gateway.vault.seal(tx, sealedPlace({ orgId, workspaceId, id }, 'sealed_secret'), secret);
  if (former) await enableWebhookEndpoint(tx, id, sealedSecret);
  else await insertWebhookEndpoint(tx, { id, orgId, workspaceId, policyId, url, sealedSecret });
  return secret;
}
