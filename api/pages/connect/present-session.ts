import type { ConnectSession } from '../../../domain/connect-session.ts';
import { isOpen } from '../../../domain/connect-session.ts';
import type { ConnectionScope } from '../../../domain/connection.ts';
import { type ShownTime, showTime } from '../layout/show-time.ts';

/** All that the session page shows besides the ways to connect. */
export interface SessionView {
  title: string;
  integration: string;
  /** What the account is connected to. */
  place: { kind: 'workspace' | 'organization'; name: string };
  /** Name of the account that this one takes the place of. */
  replaced: string | undefined;
  connectionName: string;
  isOpen: boolean;
  isConnected: boolean;
  /** Who will act with the account. */
  use: string;
  error: string | null;
  until: ShownTime;
}

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
  ORGANIZATION: 'Everybody in the organization may act with this account.',
  WORKSPACE: 'Everybody in this workspace may act with this account.',
  USER: 'Only what is done for you acts with this account.',
};
