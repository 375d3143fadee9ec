import { GatewayError } from '../domain/errors.ts';
import { findConnection, type ListedConnection, replaceStoredCredentials } from '../store/connections.ts';
import { checkCredentials } from './check-credentials.ts';
import { type Credentials, lifetimeOf, sealCredentials } from './connection-credentials.ts';
import type { Gateway } from './gateway.ts';

export interface Reconnection {
  orgId: string;
  /** The connection's. */
  id: string;
  /** Absent: the one that the connection has, if it takes these credentials. */
  authMethodKey?: string | undefined;
  credentials: Credentials;
  expiresAt?: Date | null | undefined;
}

/** Gives a connection new credentials: it is ACTIVE again and keeps its id and place. Throws CONNECTION_NOT_FOUND, VALIDATION_ERROR. */
export async function replaceCredentials(
  gateway: Pick<Gateway, 'db' | 'vault' | 'catalog'>,
  { orgId, id, authMethodKey, credentials: given, expiresAt = null }: Reconnection,
): Promise<ListedConnection> {
  const current = await findConnection(gateway.db, orgId, id);
  const integration = current && gateway.catalog.get(current.integrationName);
  if (!integration) throw gone();
  const { method, credentials } = checkCredentials(integration, given, authMethodKey ?? current.authMethodKey);
  const replaced = await replaceStoredCredentials(gateway.db, orgId, id, {
    type: credentials.type,
    authMethodKey: method.key,
    sealedCredentials: await sealCredentials(gateway, { orgId, id }, credentials),
    ...lifetimeOf(credentials, expiresAt),
  });
  if (!replaced) throw gone();
  return replaced;
}

function gone(): GatewayError {
  return new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection.');
}
