import type { Actor } from '../../domain/approval.ts';
import { connectLinkActivity } from '../../domain/audit/setup-activity.ts';
import type { Issue } from '../../domain/bound-error.ts';
import type { ConnectSession } from '../../domain/connect-session.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { CONNECT_SESSION_SECONDS } from '../../domain/limits.ts';
import type { AuthMethod } from '../../integrations/definition.ts';
import { insertConnectSession, type NewConnectSession } from '../../store/connect-sessions.ts';
import { listOauthAppIntegrations } from '../../store/oauth-apps.ts';
import { findWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { recordActivity } from '../audit/record-activity.ts';
import { asksConsent } from '../connections/create-oauth-app.ts';
import { offerMethods } from '../connections/offer-methods.ts';
import type { Gateway } from '../gateway.ts';

export type ConnectSessionRequest = Omit<NewConnectSession, 'tokenHash' | 'expiresInSeconds'>;

export interface OpenedConnectSession {
  session: ConnectSession;
  /** The token is stored nowhere. */
  token: string;
  connectUrl: string;
}

/**
 * Creates a hosted connect session. Anyone with the URL can link one account within one hour. The
 * caller must have checked access to the workspace.
 */
export async function createConnectSession(gateway: Gateway, by: Actor, request: ConnectSessionRequest): Promise<OpenedConnectSession> {
  await checkConnectable(gateway, request);
  const token = gateway.tokens.issue('cst_');
  const expiresInSeconds = CONNECT_SESSION_SECONDS;
  const session = await gateway.db.transaction(async (tx) => {
    const opened = await insertConnectSession(tx, { ...request, tokenHash: gateway.tokens.hash(token), expiresInSeconds });
    const { id: sessionId, externalId, scope, endUserId, workspaceIntegrationId } = opened;
    const details = { kind: 'session', sessionId, externalId, scope, endUserId, workspaceIntegrationId, expiresInSeconds } as const;
    await recordActivity(tx, connectLinkActivity('connect_link.issued', opened, by, details));
    return opened;
  });
  return { session, token, connectUrl: `${gateway.config.platformUrl}/connect?token=${token}` };
}

async function checkConnectable(gateway: Gateway, request: ConnectSessionRequest): Promise<void> {
  const { orgId, workspaceId, integrationName, workspaceIntegrationId, authMethodKey } = request;
  const { auth } = await gateway.catalog.get(orgId, integrationName);
  const issues: Issue[] = [];
  if (workspaceIntegrationId !== null) {
    const instance = await findWorkspaceIntegration(gateway.db, orgId, workspaceId, workspaceIntegrationId);
    if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such workspace integration.');
    if (instance.integrationName !== integrationName) {
      issues.push({ path: 'workspaceIntegrationId', message: `is an instance of ${instance.integrationName}, not of ${integrationName}` });
    }
  }
  if (!auth?.length)
    issues.push({ path: 'integrationName', message: `${integrationName} needs no account, so there is nothing to connect` });
  else if (authMethodKey !== null && !auth.some(({ key }) => key === authMethodKey)) {
    const known = auth.map(({ key }) => key).join(', ');
    issues.push({ path: 'authMethodKey', message: `is not an auth method of ${integrationName}; it has ${known}` });
  } else issues.push(...unreadyIssues(await listOauthAppIntegrations(gateway.db, orgId), { name: integrationName, auth, authMethodKey }));
  if (issues.length > 0) throw validationError(issues);
}

function unreadyIssues(
  apps: readonly string[],
  { name, auth, authMethodKey }: { name: string; auth: readonly AuthMethod[]; authMethodKey: string | null },
): Issue[] {
  const offers = offerMethods({ name, auth }, apps, authMethodKey);
  if (offers.some(({ isReady }) => isReady)) return [];
  const reason = offers.some(({ method }) => asksConsent(method))
    ? `needs an OAuth app: configure one for ${name} with POST /api/v1/oauth-apps`
    : 'takes tokens only through POST /api/v1/connections';
  if (authMethodKey !== null) return [{ path: 'authMethodKey', message: `cannot be completed on a page: ${authMethodKey} ${reason}` }];
  return [{ path: 'integrationName', message: `nothing can be connected on a page: ${name} ${reason}` }];
}
