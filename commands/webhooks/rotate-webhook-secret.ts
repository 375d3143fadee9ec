import { GatewayError, validationError } from '../../domain/errors.ts';
import { WEBHOOK_SECRET_OVERLAP_SECONDS } from '../../domain/limits.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { listWebhookEndpoints, lockWebhookEndpoint, replaceWebhookSecret, type WebhookEndpoint } from '../../store/webhook-endpoints.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { assertMayWritePolicy } from '../policies/check-policy.ts';
import { newWebhookSecret, sealedPlace } from './webhook-secret.ts';

/**
 * Replaces the secret of a policy's webhook and returns the new secret, which is never shown again.
 * The previous secret also signs for 24 h. Throws SCOPE_DENIED, APPROVAL_DECISION_SCOPE_REQUIRED,
 * NOT_FOUND and VALIDATION_ERROR.
 */
export async function rotateWebhookSecret(gateway: Gateway, principal: KeyPrincipal, policy: Policy, url?: string): Promise<string> {
  const { orgId, workspaceId, id: policyId, version: policyVersion } = policy;
  assertMayWritePolicy(principal, policy);
  return gateway.db.transaction(async (tx) => {
    const { id, url: destination } = chosen(await listWebhookEndpoints(tx, policyId), url);
    const endpoint = (await lockWebhookEndpoint(tx, id))!;
    const former = endpoint.sealedSecret;
    const secret = newWebhookSecret();
    const [now, before] = [sealedPlace(endpoint, 'sealed_secret'), sealedPlace(endpoint, 'former_sealed_secret')];
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
    if (!named) throw new GatewayError('NOT_FOUND', 'This policy has no webhook with that url.');
    return named;
  }
  if (endpoints.length === 1) return only;
  const urls = endpoints.map((endpoint) => endpoint.url).join(', ');
  throw validationError([{ path: 'url', message: `is required, because this policy has several webhooks: ${urls}` }]);
}
