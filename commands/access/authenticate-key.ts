import { GatewayError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { touchApiKey } from '../../store/api-keys.ts';
import type { KeyLookup, KeyWith } from '../../store/key-lookups.ts';
import type { Gateway } from '../gateway.ts';

/** Authenticates an API key. Throws UNAUTHORIZED for a malformed, unknown or expired key. */
export async function authenticateKey(gateway: Gateway, plainKey: string): Promise<KeyPrincipal> {
  return principalOf(gateway, isWellFormed(plainKey, 'svc_') ? await gateway.lookups.key(gateway.tokens.hash(plainKey)) : undefined);
}

/** An authenticated API key, and the record that the request names. */
export interface KeyedRecord<Row> {
  principal: KeyPrincipal;
  /** Undefined if the organization has no such record. */
  record: Row | undefined;
}

/** Like `authenticateKey`, and reads a record in the same round trip. */
export async function authenticateKeyAndRead<Row>(
  gateway: Gateway,
  plainKey: string,
  read: (hash: Buffer) => Promise<KeyWith<Row> | undefined>,
): Promise<KeyedRecord<Row>> {
  const found = isWellFormed(plainKey, 'svc_') ? await read(gateway.tokens.hash(plainKey)) : undefined;
  return { principal: principalOf(gateway, found?.key), record: found?.record };
}

function principalOf(gateway: Gateway, key: KeyLookup | undefined): KeyPrincipal {
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
 * The same error for a missing, malformed, unknown, expired or revoked credential (contract
 * decisions 1).
 */
export function unauthorized(): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'A valid credential is needed: Authorization: Bearer <token>.');
}
