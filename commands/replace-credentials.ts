import { GatewayError } from '../domain/errors.ts';
import type { Db } from '../infra/database.ts';
import { findConnection, type ListedConnection, replaceStoredCredentials } from '../store/connections.ts';
import { checkCredentials } from './check-credentials.ts';
import { type Credentials, lifetimeOf, sealCredentials } from './connection-credentials.ts';
import type { Gateway } from './gateway.ts';

export interface Reconnection {
  orgId: string;
  /** The connection's. */
  id: string;
  /** Absent: the one that the connection has. */
  displayName?: string | undefined;
  /** Absent: the one that the connection has, if it takes these credentials. */
  authMethodKey?: string | undefined;
  credentials: Credentials;
  expiresAt?: Date | null | undefined;
}

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog'>;

/** Gives a connection new credentials: it is ACTIVE again and keeps its id and place. Throws CONNECTION_NOT_FOUND, VALIDATION_ERROR. */
export async function replaceCredentials(gateway: Host, reconnection: Reconnection): Promise<ListedConnection> {
  const replace = await prepareReplacement(gateway, reconnection);
  return replace(gateway.db);
}

/** The same in two steps: checks and seals now; what it answers writes, in a transaction of the caller's. */
export async function prepareReplacement(
  gateway: Host,
  { orgId, id, displayName, authMethodKey, credentials: given, expiresAt = null }: Reconnection,
): Promise<(db: Db) => Promise<ListedConnection>> {
  const current = await findConnection(gateway.db, orgId, id);
  const integration = current && gateway.catalog.get(current.integrationName);
  if (!integration) throw gone();
  const { method, credentials } = checkCredentials(integration, given, authMethodKey ?? current.authMethodKey);
  const stored = {
    type: credentials.type,
    authMethodKey: method.key,
    displayName: displayName ?? current.displayName,
    sealedCredentials: await sealCredentials(gateway, { orgId, id }, credentials),
    ...lifetimeOf(credentials, expiresAt),
  };
  return async (db) => {
    const replaced = await replaceStoredCredentials(db, orgId, id, stored);
    if (!replaced) throw gone();
    return replaced;
  };
}

function gone(): GatewayError {
  return new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection.');
}
