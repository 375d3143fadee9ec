import type { AccountToConnect } from '../domain/connect-session.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { findConnectionInScope, type ListedConnection } from '../store/connections.ts';
import type { Credentials } from './connection-credentials.ts';
import { prepareConnection } from './create-connection.ts';
import type { Gateway } from './gateway.ts';
import { prepareReplacement } from './replace-credentials.ts';

/** What the owner of an account entered or consented to. */
export interface GrantedAccess {
  authMethodKey: string;
  credentials: Credentials;
  expiresAt?: Date | null;
}

/** Part of the transaction that links an account; what it throws undoes the whole. */
export type AlsoWrite = (tx: Db, connection: ListedConnection) => Promise<void>;

const ATTEMPTS = 3;

/**
 * Links an account, or links it anew: a connection of that external id in the same scope gets the credentials and the name, and is ACTIVE
 * again.
 * Throws VALIDATION_ERROR, NOT_FOUND when the workspace is gone.
 */
export async function connectAccount(
  gateway: Gateway,
  account: AccountToConnect,
  access: GrantedAccess,
  also?: AlsoWrite,
): Promise<ListedConnection> {
  for (let attempt = 1; ; attempt += 1) {
    const write = await prepare(gateway, account, access);
    try {
      return await gateway.db.transaction(async (tx) => {
        const connection = await write(tx);
        await also?.(tx, connection);
        return connection;
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !isOvertaken(error)) throw error;
    }
  }
}

async function prepare(gateway: Gateway, account: AccountToConnect, access: GrantedAccess): Promise<(tx: Db) => Promise<ListedConnection>> {
  const request = { ...account, ...access, displayName: account.connectionName, endUserExternalId: account.endUserId };
  const existing = await findConnectionInScope(gateway.db, request);
  return existing
    ? prepareReplacement(gateway, { ...access, orgId: account.orgId, id: existing.id, displayName: account.connectionName })
    : prepareConnection(gateway, request);
}

/** Somebody else made the connection, or deleted it, between the look and the write. */
function isOvertaken(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'DUPLICATE' || error.code === 'CONNECTION_NOT_FOUND');
}
