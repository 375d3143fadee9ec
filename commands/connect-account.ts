import type { AccountToConnect } from '../domain/connect-session.ts';
import { GatewayError } from '../domain/errors.ts';
import { findConnectionInScope, type ListedConnection } from '../store/connections.ts';
import type { Credentials } from './connection-credentials.ts';
import { createConnection } from './create-connection.ts';
import type { Gateway } from './gateway.ts';
import { replaceCredentials } from './replace-credentials.ts';

/** What the owner of an account entered or consented to. */
export interface GrantedAccess {
  authMethodKey: string;
  credentials: Credentials;
  expiresAt?: Date | null;
}

/**
 * Links an account, or links it anew: a connection of that external id in the same scope gets the credentials and is ACTIVE again.
 * Throws VALIDATION_ERROR, NOT_FOUND when the workspace is gone.
 */
export async function connectAccount(gateway: Gateway, account: AccountToConnect, access: GrantedAccess): Promise<ListedConnection> {
  const request = { ...account, ...access, displayName: account.connectionName, endUserExternalId: account.endUserId };
  try {
    return await createConnection(gateway, request);
  } catch (error) {
    const existing = isTaken(error) ? await findConnectionInScope(gateway.db, request) : undefined;
    if (!existing) throw error;
    return replaceCredentials(gateway, { orgId: account.orgId, id: existing.id, ...access });
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'DUPLICATE';
}
