import type { ConnectSession } from '../../../domain/connect-session.ts';
import { isOpen } from '../../../domain/connect-session.ts';
import type { ConnectionScope } from '../../../domain/connection.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** The data of the session page, without the connection methods. */
export interface SessionView {
  title: string;
  integration: string;
  place: { kind: 'workspace' | 'organization'; name: string };
  /** The account that the new account replaces. */
  replaced: string | undefined;
  connectionName: string;
  isOpen: boolean;
  isConnected: boolean;
  use: string;
  error: string | null;
  until: ShownTime;
}

/** Prepares the page of a connect session. */
export function presentSession(session: ConnectSession, names: Pick<SessionView, 'integration' | 'place' | 'replaced'>): SessionView {
  return {
    ...names,
    title: titleOf(session, names.integration),
    connectionName: session.connectionName,
    isOpen: isOpen(session),
    isConnected: session.status === 'COMPLETED',
    use: USE[session.scope],
    error: session.error,
    until: showTime(session.expiresAt),
  };
}

function titleOf({ status }: ConnectSession, integration: string): string {
  if (status === 'COMPLETED') return `${integration} is connected`;
  return status === 'FAILED' ? `${integration} was not connected` : `Connect ${integration}`;
}

const USE: Record<ConnectionScope, string> = {
  ORGANIZATION: 'Everyone in the organization can use this account.',
  WORKSPACE: 'Everyone in this workspace can use this account.',
  USER: 'Only actions on your behalf use this account.',
};
