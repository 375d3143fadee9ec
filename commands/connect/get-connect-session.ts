import type { ConnectSession } from '../../domain/connect-session.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { findConnectSession, findConnectSessionByTokenHash } from '../../store/connect-sessions.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws NOT_FOUND if the organization has no such session, and SCOPE_DENIED if the key may not
 * access the workspace.
 */
export async function getConnectSession(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<ConnectSession> {
  return assertVisible(principal, await findConnectSession(gateway.db, principal.orgId, id));
}

/** Like `getConnectSession`, with the token of the session instead of its id. */
export async function pollConnectSession(gateway: Gateway, principal: KeyPrincipal, token: string): Promise<ConnectSession> {
  const session = await findSessionOfToken(gateway, token);
  return assertVisible(principal, session?.orgId === principal.orgId ? session : undefined);
}

/** The session of a `cst_` token, whether open or over. Undefined for any other token. */
export async function findSessionOfToken(gateway: Gateway, token: string): Promise<ConnectSession | undefined> {
  if (!isWellFormed(token, 'cst_')) return undefined;
  return findConnectSessionByTokenHash(gateway.db, gateway.tokens.hash(token));
}

function assertVisible(principal: KeyPrincipal, session: ConnectSession | undefined): ConnectSession {
  if (!session) throw new GatewayError('NOT_FOUND', 'There is no such connect session.');
  assertWorkspace(principal, session.workspaceId);
  return session;
}
