import { GatewayError } from '../domain/errors.ts';
import { findConnection, findOrganizationConnection, type ListedConnection } from '../store/connections.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';
import type { Gateway } from './gateway.ts';
import { resolveConnection } from './resolve-connection.ts';
import { resolveInstance } from './resolve-instance.ts';

export interface ConnectionWanted {
  orgId: string;
  /** Absent: organization-wide connections alone. */
  workspaceId?: string | undefined;
  integrationName: string;
  /** Of the connection. */
  externalId?: string | undefined;
  /** External id; looked up, never created. */
  endUserId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
}

/**
 * The connection that a call from there would act with (specification 4.7). Throws INTEGRATION_NOT_FOUND, NOT_FOUND and
 * AMBIGUOUS_INTEGRATION of the instance, CONNECTION_NOT_FOUND where there is none.
 */
export async function resolveNamedConnection(gateway: Gateway, wanted: ConnectionWanted): Promise<ListedConnection> {
  const { name } = gateway.catalog.get(wanted.integrationName);
  const connection =
    wanted.workspaceId === undefined
      ? await findOrganizationConnection(gateway.db, { ...wanted, integrationName: name })
      : await findForCall(gateway, { ...wanted, workspaceId: wanted.workspaceId });
  if (!connection) throw new GatewayError('CONNECTION_NOT_FOUND', `There is no such connection of ${name}.`);
  return connection;
}

async function findForCall(gateway: Gateway, wanted: ConnectionWanted & { workspaceId: string }): Promise<ListedConnection | undefined> {
  const { orgId, workspaceId, integrationName, externalId, endUserId = null } = wanted;
  const instance = resolveInstance(await listWorkspaceIntegrations(gateway.db, orgId, workspaceId), wanted);
  const integration = gateway.catalog.get(integrationName);
  const request = { orgId, workspaceId, integration, instance, endUserId, connectionExternalId: externalId };
  const usable = await resolveConnection(gateway, request).catch(explainNone);
  return usable === null ? undefined : findConnection(gateway.db, orgId, usable.id);
}

/** What a call would answer with CONNECTION_REQUIRED is, to somebody who asks for the connection, one that is not there. */
function explainNone(error: unknown): never {
  if (error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED')
    throw new GatewayError('CONNECTION_NOT_FOUND', error.message, error.details);
  throw error;
}
