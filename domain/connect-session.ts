import type { ConnectionScope } from './connection.ts';

/**
 * CONNECTING: the owner of the account is at the third party's consent page. COMPLETED and FAILED
 * are final.
 */
export const CONNECT_STATUSES = ['PENDING', 'CONNECTING', 'COMPLETED', 'FAILED'] as const;
type ConnectStatus = (typeof CONNECT_STATUSES)[number];

/** The account to link: its owner and its names. */
export interface AccountToConnect {
  orgId: string;
  workspaceId: string;
  integrationName: string;
  workspaceIntegrationId: string | null;
  /** Null allows every method. */
  authMethodKey: string | null;
  externalId: string;
  connectionName: string;
  scope: ConnectionScope;
  /** External id of the end user. Null unless the scope is USER. */
  endUserId: string | null;
}

/**
 * A person's attempt to link an account on a hosted page (contract decisions 2, Hosted connect).
 */
export interface ConnectSession extends AccountToConnect {
  id: string;
  successRedirectUri: string | null;
  errorRedirectUri: string | null;
  status: ConnectStatus;
  /** The chosen method. Null before the choice. */
  usedMethodKey: string | null;
  /** Input for the consent page, such as the name of a shop. Null before the input. */
  consentProps: Record<string, unknown> | null;
  connectionId: string | null;
  /** The error in words for people. */
  error: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Whether the session has neither completed nor failed. It may have expired. */
export function isOpen({ status }: Pick<ConnectSession, 'status'>): boolean {
  return status === 'PENDING' || status === 'CONNECTING';
}
