import type { Actor } from '../../domain/approval.ts';
import { connectionActivity } from '../../domain/audit/setup-activity.ts';
import type { Db } from '../../infra/database.ts';
import { findConnection, type ListedConnection, replaceStoredCredentials } from '../../store/connections.ts';
import { activityRows } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { checkCredentials } from './check-credentials.ts';
import { type Credentials, lifetimeOf, sealCredentials } from './connection-credentials.ts';
import { noSuchConnection } from './get-connection.ts';

export interface Reconnection {
  orgId: string;
  id: string;
  /** Undefined: the current name. */
  displayName?: string | undefined;
  /** Undefined: the current method, which must then accept these credentials. */
  authMethodKey?: string | undefined;
  credentials: Credentials;
  expiresAt?: Date | null | undefined;
  by: Actor;
}

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog'>;

/**
 * Gives a connection new credentials. The connection becomes ACTIVE and keeps its id and scope.
 * Throws CONNECTION_NOT_FOUND, INTEGRATION_NOT_FOUND and VALIDATION_ERROR.
 */
export async function replaceCredentials(gateway: Host, reconnection: Reconnection): Promise<ListedConnection> {
  const replace = await prepareReplacement(gateway, reconnection);
  return replace(gateway.db);
}

/**
 * Like `replaceCredentials`, in two steps: checks and encrypts now, and returns a function that
 * stores the credentials.
 */
export async function prepareReplacement(
  gateway: Host,
  { orgId, id, displayName, authMethodKey, credentials: given, expiresAt = null, by }: Reconnection,
): Promise<(db: Db) => Promise<ListedConnection>> {
  const current = await findConnection(gateway.db, orgId, id);
  const integration = current && (await gateway.catalog.get(orgId, current.integrationName));
  if (!integration) throw noSuchConnection();
  const { method, credentials } = checkCredentials(integration, given, authMethodKey ?? current.authMethodKey);
  const stored = {
    type: credentials.type,
    authMethodKey: method.key,
    displayName: displayName ?? current.displayName,
    sealedCredentials: await sealCredentials(gateway, { orgId, workspaceId: current.workspaceId, id }, credentials),
    ...lifetimeOf(credentials, expiresAt),
  };
  const events = activityRows(connectionActivity('connection.reconnected', { ...current, ...stored }, by));
  return async (db) => {
    const replaced = await replaceStoredCredentials(db, current, stored, events);
    if (!replaced) throw noSuchConnection();
    return replaced;
  };
}
