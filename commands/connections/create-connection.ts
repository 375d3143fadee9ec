import { randomUUID } from 'node:crypto';
import type { Actor } from '../../domain/approval.ts';
import { connectionActivity } from '../../domain/audit/setup-activity.ts';
import type { ConnectionScope } from '../../domain/connection.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { type Db, isDuplicate } from '../../infra/database.ts';
import { insertConnection, type ListedConnection } from '../../store/connections.ts';
import { findWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { activityRows } from '../audit/record-activity.ts';
import { ensureEndUser } from '../end-users/ensure-end-user.ts';
import type { Gateway } from '../gateway.ts';
import { checkCredentials } from './check-credentials.ts';
import { type Credentials, lifetimeOf, sealCredentials } from './connection-credentials.ts';

/**
 * An account to store. The caller must have checked its owner (`ownerIssues` in
 * domain/connection-scope.ts).
 */
export interface NewAccount {
  orgId: string;
  workspaceId: string | null;
  /** Set for a USER connection. */
  endUserExternalId: string | null;
  scope: ConnectionScope;
  integrationName: string;
  externalId: string;
  displayName: string;
  /** Optional if the type of the credentials determines the method. */
  authMethodKey?: string | undefined;
  credentials: Credentials;
  /** The workspace integration that may use the connection. Null: any. */
  workspaceIntegrationId?: string | null | undefined;
  /** When the credentials expire. Null if unknown. */
  expiresAt?: Date | null | undefined;
  by: Actor;
}

/**
 * Stores an account with encrypted credentials (contract decisions 2, Connections). Creates the end
 * user if needed. Throws INTEGRATION_NOT_FOUND, NOT_FOUND, VALIDATION_ERROR and DUPLICATE.
 */
export async function createConnection(gateway: Host, account: NewAccount): Promise<ListedConnection> {
  const insert = await prepareConnection(gateway, account);
  return gateway.db.transaction(insert);
}

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog'>;

/**
 * Like `createConnection`, in two steps: checks and encrypts now, and returns a function that
 * inserts the connection in a transaction of the caller.
 */
export async function prepareConnection(gateway: Host, account: NewAccount): Promise<(tx: Db) => Promise<ListedConnection>> {
  const { orgId, scope, integrationName, externalId, displayName, workspaceIntegrationId = null, expiresAt = null } = account;
  const integration = await gateway.catalog.get(orgId, integrationName);
  if (workspaceIntegrationId !== null) await checkInstance(gateway.db, { ...account, workspaceIntegrationId });
  const { method, credentials } = checkCredentials(integration, account.credentials, account.authMethodKey);
  const id = randomUUID();
  // An organization-wide connection belongs to no workspace integration, because a workspace can
  // delete its integrations.
  const isShared = scope === 'ORGANIZATION';
  const workspaceId = isShared ? null : account.workspaceId;
  const sealedCredentials = await sealCredentials(gateway, { orgId, workspaceId, id }, credentials);
  return async (tx) => {
    await gateway.catalog.hold(orgId, integration.name, tx);
    const endUserId = scope === 'USER' ? await endUserOf(tx, account) : null;
    const connection = {
      id,
      orgId,
      workspaceId,
      endUserId,
      externalId,
      displayName,
      integrationName: integration.name,
      authMethodKey: method.key,
      type: credentials.type,
      scope,
      workspaceIntegrationId: isShared ? null : workspaceIntegrationId,
      sealedCredentials,
      ...lifetimeOf(credentials, expiresAt),
    };
    const shown = { ...connection, endUserExternalId: scope === 'USER' ? account.endUserExternalId : null };
    const events = activityRows(connectionActivity('connection.created', shown, account.by));
    return insertConnection(tx, connection, events).catch(refuseTaken);
  };
}

async function checkInstance(db: Db, { orgId, workspaceId, integrationName, workspaceIntegrationId }: NewAccount): Promise<void> {
  const instance = await findWorkspaceIntegration(db, orgId, workspaceId!, workspaceIntegrationId!);
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');
  if (instance.integrationName === integrationName) return;
  throw validationError([
    { path: 'workspaceIntegrationId', message: `is an instance of ${instance.integrationName}, not of ${integrationName}` },
  ]);
}

async function endUserOf(tx: Db, { orgId, workspaceId, endUserExternalId, by }: NewAccount): Promise<string> {
  return (await ensureEndUser(tx, by, { orgId, workspaceId: workspaceId!, externalId: endUserExternalId! })).id;
}

function refuseTaken(error: unknown): never {
  if (isDuplicate(error, 'connections_external'))
    throw new GatewayError('DUPLICATE', 'A connection of this integration with this externalId already exists in this scope.');
  throw error;
}
