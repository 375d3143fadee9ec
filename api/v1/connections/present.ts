import type { ListedConnection } from '../../../store/connections.ts';

/** Presents a connection without its credentials. */
export function presentConnection(connection: ListedConnection) {
  return {
    id: connection.id,
    externalId: connection.externalId,
    displayName: connection.displayName,
    integrationName: connection.integrationName,
    authMethodKey: connection.authMethodKey,
    type: connection.type,
    status: connection.status,
    statusReason: connection.statusReason,
    scope: connection.scope,
    workspaceId: connection.workspaceId,
    endUserId: connection.endUserExternalId,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}
