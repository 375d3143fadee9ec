import type { IssuedConnectToken } from '../../../commands/connect/issue-connect-token.ts';
import type { CountedEndUser } from '../../../domain/end-user.ts';
import type { ConnectionSummary } from '../../../store/connections-of-end-user.ts';

export function presentEndUser(endUser: CountedEndUser) {
  return {
    id: endUser.id,
    workspaceId: endUser.workspaceId,
    externalId: endUser.externalId,
    displayName: endUser.displayName,
    email: endUser.email,
    metadata: endUser.metadata,
    type: endUser.type,
    connectionCount: endUser.connectionCount,
    createdAt: endUser.createdAt.toISOString(),
    updatedAt: endUser.updatedAt.toISOString(),
  };
}

export function presentConnectionSummary(connection: ConnectionSummary) {
  return {
    id: connection.id,
    externalId: connection.externalId,
    displayName: connection.displayName,
    integrationName: connection.integrationName,
    type: connection.type,
    status: connection.status,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}

export function presentConnectToken({ connectUrl, token, expiresAt }: IssuedConnectToken) {
  return { connectUrl, token, expiresAt: expiresAt.toISOString() };
}
