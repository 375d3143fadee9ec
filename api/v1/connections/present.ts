import type { ListedConnection } from '../../../store/connections.ts';

/** Field by field: nothing of what a connection keeps sealed is ever near an answer. */
export function presentConnection(connection: ListedConnection) {
  return {
    id: connection.id,
    externalId: connection.externalId,
    displayName: connection.displayName,
    integrationName: connection.integrationName,
    authMethodKey: connection.authMethodKey,
    type: connection.type,
    status: connection.status,
    scope: connection.scope,
    workspaceId: connection.workspaceId,
    endUserId: connection.endUserExternalId,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}
