import { randomUUID } from 'node:crypto';
import type { ConnectionScope } from '../domain/connection.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import { type Db, isDuplicate } from '../infra/database.ts';
import { insertConnection, type ListedConnection } from '../store/connections.ts';
import { findWorkspaceIntegration } from '../store/workspace-integrations.ts';
import { checkCredentials } from './check-credentials.ts';
import { type Credentials, lifetimeOf, sealCredentials } from './connection-credentials.ts';
import { ensureEndUser } from './ensure-end-user.ts';
import type { Gateway } from './gateway.ts';

/** An account to be kept; whose it is has been checked (`ownerIssues` in domain/connection-scope.ts). */
export interface AccountToKeep {
  orgId: string;
  /** Where the request comes from; an ORGANIZATION connection belongs to no workspace all the same. */
  workspaceId: string | null;
  /** Of the end user that a USER connection is of. */
  endUserExternalId: string | null;
  scope: ConnectionScope;
  integrationName: string;
  externalId: string;
  displayName: string;
  /** May be left out where the type of the credentials decides it. */
  authMethodKey?: string | undefined;
  credentials: Credentials;
  /** The configured instance that it is for; null for any. */
  workspaceIntegrationId?: string | null | undefined;
  /** When the credentials end; null where that is not known. */
  expiresAt?: Date | null | undefined;
}

/**
 * Keeps an account (decisions section 2, Connections), with its credentials sealed for its row; an end user never seen before is created.
 * Throws INTEGRATION_NOT_FOUND, NOT_FOUND for a workspace or an instance that is not there, VALIDATION_ERROR for what the integration's
 * auth definition does not take, DUPLICATE for a second one of that integration and externalId in its scope.
 */
export async function createConnection(gateway: Host, account: AccountToKeep): Promise<ListedConnection> {
  const keep = await prepareConnection(gateway, account);
  return gateway.db.transaction(keep);
}

type Host = Pick<Gateway, 'db' | 'vault' | 'catalog'>;

/** The same in two steps: checks and seals now; what it answers keeps the account, in a transaction of the caller's. */
export async function prepareConnection(gateway: Host, account: AccountToKeep): Promise<(tx: Db) => Promise<ListedConnection>> {
  const { orgId, scope, integrationName, externalId, displayName, workspaceIntegrationId = null, expiresAt = null } = account;
  const integration = gateway.catalog.get(integrationName);
  if (workspaceIntegrationId !== null) await checkInstance(gateway.db, { ...account, workspaceIntegrationId });
  const { method, credentials } = checkCredentials(integration, account.credentials, account.authMethodKey);
  const id = randomUUID();
  const sealedCredentials = await sealCredentials(gateway, { orgId, id }, credentials);
  // One of the whole organization is for every instance: that of a workspace may go without it.
  const isShared = scope === 'ORGANIZATION';
  return async (tx) => {
    const endUserId = scope === 'USER' ? await endUserOf(tx, account) : null;
    return insertConnection(tx, {
      id,
      orgId,
      workspaceId: isShared ? null : account.workspaceId,
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
    }).catch(refuseTaken);
  };
}

async function checkInstance(db: Db, { orgId, workspaceId, integrationName, workspaceIntegrationId }: AccountToKeep): Promise<void> {
  const instance = await findWorkspaceIntegration(db, orgId, workspaceId!, workspaceIntegrationId!);
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');
  if (instance.integrationName === integrationName) return;
  throw validationError([
    { path: 'workspaceIntegrationId', message: `is an instance of ${instance.integrationName}, not of ${integrationName}` },
  ]);
}

async function endUserOf(tx: Db, { orgId, workspaceId, endUserExternalId }: AccountToKeep): Promise<string> {
  return (await ensureEndUser(tx, { orgId, workspaceId: workspaceId!, externalId: endUserExternalId! })).id;
}

function refuseTaken(error: unknown): never {
  if (isDuplicate(error, 'connections_external'))
    throw new GatewayError('DUPLICATE', 'There is a connection of this integration with this externalId in this scope already.');
  throw error;
}
