import { GatewayError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { findApiKeyByHash, touchApiKey } from '../../store/api-keys.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the owner of an API key. Costs one prepared round trip, and none for a string that cannot
 * be a key. Throws UNAUTHORIZED.
 */
export async function authenticateKey(gateway: Gateway, plainKey: string): Promise<KeyPrincipal> {
  const key = isWellFormed(plainKey, 'svc_') ? await findApiKeyByHash(gateway.db, gateway.tokens.hash(plainKey)) : undefined;
  if (!key) throw unauthorized();
  if (key.stale) {
    touchApiKey(gateway.db, key.id).catch((error) =>
      gateway.logger.warn({ keyId: key.id, error: String(error) }, 'api key last use not recorded'),
    );
  }
  return {
    type: 'api_key',
    id: key.id,
    orgId: key.orgId,
    name: key.name,
    workspaceIds: key.scope === 'org' ? 'all' : key.workspaceIds,
    mayDecide: key.mayDecide,
    policiesVersion: key.policiesVersion,
    seenAt: key.seenAt,
  };
}

/**
 * The one error for a missing, malformed, unknown, expired or revoked credential (contract
 * decisions 1).
 */
export function unauthorized(): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'A valid credential is needed: Authorization: Bearer <token>.');
}
