import { GatewayError, validationError } from '../domain/errors.ts';
import { WEBHOOK_SECRET_OVERLAP_SECONDS } from '../domain/limits.ts';
import type { Policy } from '../domain/policy.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../domain/principal.ts';
import { listWebhookEndpoints, lockWebhookEndpoint, replaceWebhookSecret, type WebhookEndpoint } from '../store/webhook-endpoints.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';
import { newWebhookSecret, sealedPlace } from './webhook-secret.ts';

/**
 * Gives a webhook of a policy a new secret and answers it, this once. The one before signs beside it for 24 h; one that was rotated away earlier
 * does not. `url` names the webhook where the policy has several. Throws SCOPE_DENIED, NOT_FOUND where there is no such webhook, and
 * VALIDATION_ERROR where it does not say which.
 */
export async function rotateWebhookSecret(gateway: Gateway, principal: KeyPrincipal, policy: Policy, url?: string): Promise<string> {
  const { orgId, workspaceId, id: policyId, version: policyVersion } = policy;
  if (workspaceId === null) assertOrgWide(principal);
  return gateway.db.transaction(async (tx) => {
    const { id, url: destination } = chosen(await listWebhookEndpoints(tx, policyId), url);
    const { sealedSecret: former } = (await lockWebhookEndpoint(tx, id))!;
    const secret = newWebhookSecret();
    const [now, before] = [sealedPlace({ orgId, id }, 'sealed_secret'), sealedPlace({ orgId, id }, 'former_sealed_secret')];
    await replaceWebhookSecret(tx, id, {
      sealedSecret: await gateway.vault.seal(tx, now, secret),
      formerSealedSecret: former && (await gateway.vault.seal(tx, before, await gateway.vault.open(tx, now, former))),
      overlapSeconds: WEBHOOK_SECRET_OVERLAP_SECONDS,
    });
    await recordActivity(tx, {
      ...{ orgId, workspaceId, policyId, policyVersion },
      type: 'webhook_secret.rotated',
      actor: actorOf(principal),
      details: { host: new URL(destination).host },
    });
    return secret;
  });
}

function chosen(endpoints: WebhookEndpoint[], url: string | undefined): WebhookEndpoint {
  const [only] = endpoints;
  if (!only) throw new GatewayError('NOT_FOUND', 'This policy has no webhook.');
  if (url !== undefined) {
    const named = endpoints.find((endpoint) => endpoint.url === url);
    if (!named) throw new GatewayError('NOT_FOUND', 'This policy has no webhook of that url.');
    return named;
  }
  if (endpoints.length === 1) return only;
  const urls = endpoints.map((endpoint) => endpoint.url).join(', ');
  throw validationError([{ path: 'url', message: `this policy has several webhooks; say which one: ${urls}` }]);
}
