import type { ConnectSession } from '../domain/connect-session.ts';
import { markCompleted } from '../store/connect-sessions.ts';
import { connectAccount, type GrantedAccess } from './connect-account.ts';
import type { Gateway } from './gateway.ts';

/** Links the account of an open session and ends the session. Throws what linking throws; the session stays open then. */
export async function completeConnectSession(gateway: Gateway, session: ConnectSession, access: GrantedAccess): Promise<ConnectSession> {
  const { id: connectionId } = await connectAccount(gateway, session, access);
  await markCompleted(gateway.db, session.id, { connectionId, authMethodKey: access.authMethodKey });
  return { ...session, status: 'COMPLETED', connectionId, authMethodKey: access.authMethodKey };
}
