import type { Actor } from '../../domain/approval.ts';
import type { ConnectSession } from '../../domain/connect-session.ts';
import { markCompleted } from '../../store/connect-sessions.ts';
import { connectAccount, type GrantedAccess } from '../connections/connect-account.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Links the account of an open session and completes the session; undefined if the session is over.
 * If an error is thrown, the session stays open.
 */
export async function completeConnectSession(
  gateway: Gateway,
  session: ConnectSession,
  access: GrantedAccess,
  by: Actor = linkHolder(session),
): Promise<ConnectSession | undefined> {
  const usedMethodKey = access.authMethodKey;
  const over = new Error('the session is over');
  try {
    const { id: connectionId } = await connectAccount(gateway, by, session, access, async (tx, { id }) => {
      if (!(await markCompleted(tx, session.id, { connectionId: id, usedMethodKey }))) throw over;
    });
    return { ...session, status: 'COMPLETED', connectionId, usedMethodKey };
  } catch (error) {
    if (error === over) return undefined;
    throw error;
  }
}

/** The actor for a person who opened the link of a session. */
export function linkHolder({ id }: Pick<ConnectSession, 'id'>): Actor {
  return { type: 'hosted_link', id };
}
