import type { ConnectionScope } from './connection.ts';

/** CONNECTING: somebody is at the third party, being asked for consent. COMPLETED and FAILED are final. */
export const CONNECT_STATUSES = ['PENDING', 'CONNECTING', 'COMPLETED', 'FAILED'] as const;
export type ConnectStatus = (typeof CONNECT_STATUSES)[number];

/** What is to be linked: one account, for whom and under which names. */
export interface AccountToConnect {
  orgId: string;
  workspaceId: string;
  integrationName: string;
  workspaceIntegrationId: string | null;
  /** The one auth method that it may be linked with; null for any. */
  authMethodKey: string | null;
  externalId: string;
  connectionName: string;
  scope: ConnectionScope;
  /** External id; set in the scope USER alone. */
  endUserId: string | null;
}

/** One person linking one account on a hosted page (decisions section 2, Hosted connect). */
export interface ConnectSession extends AccountToConnect {
  id: string;
  successRedirectUri: string | null;
  errorRedirectUri: string | null;
  status: ConnectStatus;
  /** The auth method that is being tried, or that the account was linked with; null before. */
  usedMethodKey: string | null;
  connectionId: string | null;
  /** Why it failed, for people. */
  error: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export function isOpen({ status }: Pick<ConnectSession, 'status'>): boolean {
  return status === 'PENDING' || status === 'CONNECTING';
}
