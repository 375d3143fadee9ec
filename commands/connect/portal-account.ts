import type { AccountToConnect, ConnectSession } from '../../domain/connect-session.ts';
import { CONNECT_SESSION_SECONDS } from '../../domain/limits.ts';
import { insertConnectSession } from '../../store/connect-sessions.ts';
import type { ConnectToken } from '../../store/connect-tokens.ts';
import { findConnectionInScope } from '../../store/connections.ts';
import type { Gateway } from '../gateway.ts';
import type { PortalEntry } from './open-portal.ts';

/**
 * The account that an end user connects through the portal. An existing account keeps its external
 * id.
 */
export async function portalAccount(gateway: Gateway, token: ConnectToken, entry: PortalEntry): Promise<AccountToConnect> {
  const { integration, instance, connection } = entry;
  return {
    orgId: token.orgId,
    workspaceId: token.workspaceId,
    integrationName: integration.name,
    workspaceIntegrationId: instance?.id ?? null,
    authMethodKey: null,
    externalId: connection?.externalId ?? (await freeExternalId(gateway, token, entry)),
    connectionName: connection?.displayName ?? instance?.displayName ?? integration.displayName,
    scope: 'USER',
    endUserId: token.endUser.externalId,
  };
}

/** Creates the session for the consent flow of an entry. The portal's token opens the session. */
export async function portalSession(gateway: Gateway, token: ConnectToken, entry: PortalEntry): Promise<ConnectSession> {
  return insertConnectSession(gateway.db, {
    ...(await portalAccount(gateway, token, entry)),
    tokenHash: null,
    successRedirectUri: null,
    errorRedirectUri: null,
    expiresInSeconds: CONNECT_SESSION_SECONDS,
  });
}

async function freeExternalId(gateway: Gateway, token: ConnectToken, { integration, instance }: PortalEntry): Promise<string> {
  if (!instance) return integration.name;
  const { orgId, workspaceId, endUser } = token;
  const taken = await findConnectionInScope(gateway.db, {
    ...{ orgId, workspaceId, endUserExternalId: endUser.externalId, scope: 'USER' },
    ...{ integrationName: integration.name, externalId: instance.alias },
  });
  return taken ? instance.id : instance.alias;
}
