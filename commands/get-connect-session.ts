import type { ConnectSession } from '../domain/connect-session.ts';
import { GatewayError } from '../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { isWellFormed } from '../infra/tokens.ts';
import { findConnectSession, findConnectSessionByTokenHash } from '../store/connect-sessions.ts';
import type { Gateway } from './gateway.ts';

/** The session of that id, if the key may enter its workspace. Throws NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED. */
export async function getConnectSession(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<ConnectSession> {
  return visible(principal, await findConnectSession(gateway.db, principal.orgId, id));
}

/** The same by the session's token. */
export async function pollConnectSession(gateway: Gateway, principal: KeyPrincipal, token: string): Promise<ConnectSession> {
  const session = await findSessionOfToken(gateway, token);
  return visible(principal, session?.orgId === principal.orgId ? session : undefined);
}

/** The session that a `cst_` token opens, over or not; undefined for any other token. */
export async function findSessionOfToken(gateway: Gateway, token: string): Promise<ConnectSession | undefined> {
  if (!isWellFormed(token, 'cst_')) return undefined;
  return findConnectSessionByTokenHash(gateway.db, gateway.tokens.hash(token));
}

function visible(principal: KeyPrincipal, session: ConnectSession | undefined): ConnectSession {
  if (!session) throw new GatewayError('NOT_FOUND', 'There is no such connect session.');
  assertWorkspace(principal, session.workspaceId);
  return session;
}
