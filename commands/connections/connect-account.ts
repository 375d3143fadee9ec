import type { Actor } from '../../domain/approval.ts';
import type { AccountToConnect } from '../../domain/connect-session.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Db } from '../../infra/database.ts';
import { findConnectionInScope, type ListedConnection } from '../../store/connections.ts';
import type { Gateway } from '../gateway.ts';
import type { Credentials } from './connection-credentials.ts';
import { prepareConnection } from './create-connection.ts';
import { prepareReplacement } from './replace-credentials.ts';

/** The credentials that the owner of an account entered or consented to. */
export interface GrantedAccess {
  authMethodKey: string;
  credentials: Credentials;
  expiresAt?: Date | null;
}

/** Runs in the transaction that links the account. An error rolls the transaction back. */
export type OnLinked = (tx: Db, connection: ListedConnection) => Promise<void>;

const ATTEMPTS = 3;

/**
 * Links an account. A connection with the same scope, integration and external id gets the new
 * credentials and name, and becomes ACTIVE again.
 */
export async function connectAccount(
  gateway: Gateway,
  by: Actor,
  account: AccountToConnect,
  access: GrantedAccess,
  onLinked?: OnLinked,
): Promise<ListedConnection> {
  for (let attempt = 1; ; attempt += 1) {
    const write = await prepare(gateway, by, account, access);
    try {
      return await gateway.db.transaction(async (tx) => {
        const connection = await write(tx);
        await onLinked?.(tx, connection);
        return connection;
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !isRace(error)) throw error;
    }
  }
}

async function prepare(
  gateway: Gateway,
  by: Actor,
  account: AccountToConnect,
  access: GrantedAccess,
): Promise<(tx: Db) => Promise<ListedConnection>> {
  const request = { ...account, ...access, by, displayName: account.connectionName, endUserExternalId: account.endUserId };
  const existing = await findConnectionInScope(gateway.db, request);
  return existing
    ? prepareReplacement(gateway, { ...access, by, orgId: account.orgId, id: existing.id, displayName: account.connectionName })
    : prepareConnection(gateway, request);
}

/** Whether another request created or deleted the connection between the read and the write. */
function isRace(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'DUPLICATE' || error.code === 'CONNECTION_NOT_FOUND');
}
