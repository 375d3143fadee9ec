import type { OpenedConnectSession } from '../../../commands/connect/create-connect-session.ts';
import type { ConnectSession } from '../../../domain/connect-session.ts';

export function presentConnectSessionToken({ session, token, connectUrl }: OpenedConnectSession) {
  return { token, connectUrl, expiresAt: session.expiresAt.toISOString(), sessionId: session.id };
}

/** Presents the status of a connect session, for polling. */
export function presentConnectOutcome(session: ConnectSession) {
  return {
    status: session.status,
    connectionId: session.connectionId,
    integrationName: session.integrationName,
    workspaceIntegrationId: session.workspaceIntegrationId,
    authMethodKey: session.usedMethodKey ?? session.authMethodKey,
    externalId: session.externalId,
    error: session.error,
  };
}

export function presentConnectSession(session: ConnectSession) {
  return {
    id: session.id,
    ...presentConnectOutcome(session),
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}
