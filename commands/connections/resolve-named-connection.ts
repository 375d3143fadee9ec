import { GatewayError } from '../../domain/errors.ts';
import { findConnection, findOrganizationConnection, type ListedConnection } from '../../store/connections.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { resolveInstance } from '../workspace-integrations/resolve-instance.ts';
import { resolveConnection } from './resolve-connection.ts';

export interface ConnectionWanted {
  orgId: string;
  /** Undefined: only organization-wide connections. */
  workspaceId?: string | undefined;
  integrationName: string;
  /** External id of the connection. */
  externalId?: string | undefined;
  /** External id of the end user, who is looked up but never created. */
  endUserId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
}

/**
 * Finds the connection with the external id or, if none is given, the connection that a call would
 * use (specification 4.7). Throws CONNECTION_NOT_FOUND, INTEGRATION_NOT_FOUND and the errors of
 * `resolveInstance`.
 */
export async function resolveNamedConnection(gateway: Gateway, wanted: ConnectionWanted): Promise<ListedConnection> {
  const { name } = await gateway.catalog.get(wanted.orgId, wanted.integrationName);
  const connection =
    wanted.workspaceId === undefined
      ? await findOrganizationConnection(gateway.db, { ...wanted, integrationName: name })
      : await findForCall(gateway, { ...wanted, workspaceId: wanted.workspaceId });
  if (!connection) throw new GatewayError('CONNECTION_NOT_FOUND', `There is no such connection of ${name}.`);
  return connection;
}

async function findForCall(gateway: Gateway, wanted: ConnectionWanted & { workspaceId: string }): Promise<ListedConnection | undefined> {
  const { orgId, workspaceId, integrationName, externalId, endUserId = null } = wanted;
  const instance = namesAccountAlone(wanted)
    ? null
    : resolveInstance(await listWorkspaceIntegrations(gateway.db, orgId, workspaceId), wanted);
  const integration = await gateway.catalog.get(orgId, integrationName);
  const request = { orgId, workspaceId, integration, instance, endUserId, connectionExternalId: externalId };
  const usable = await resolveConnection(gateway, request).catch(explainNone);
  return usable === null ? undefined : findConnection(gateway.db, orgId, usable.id);
}

/** Whether only the external id is given, which is enough even with several instances. */
function namesAccountAlone({ externalId, workspaceIntegrationId, integrationAlias }: ConnectionWanted): boolean {
  return externalId !== undefined && workspaceIntegrationId === undefined && integrationAlias === undefined;
}

/** Replaces CONNECTION_REQUIRED, because a look-up makes no call that requires a connection. */
function explainNone(error: unknown): never {
  if (error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED')
    throw new GatewayError('CONNECTION_NOT_FOUND', error.message, error.details);
  throw error;
}
