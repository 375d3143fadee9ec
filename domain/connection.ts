/** The kinds of credentials of an account (contract decisions 2, Connections). */
export const CONNECTION_TYPES = ['SECRET_TEXT', 'BASIC_AUTH', 'CUSTOM_AUTH', 'OAUTH2', 'PLATFORM_OAUTH2'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** Who may use a connection: the whole organization, one workspace, or calls for one end user. */
export const CONNECTION_SCOPES = ['ORGANIZATION', 'WORKSPACE', 'USER'] as const;
export type ConnectionScope = (typeof CONNECTION_SCOPES)[number];

/**
 * EXPIRING: see `statusAt`. ERROR: the third party refuses the access, or the access has expired.
 * REVOKED is part of the contract; nothing in this service sets it.
 */
export const CONNECTION_STATUSES = ['ACTIVE', 'EXPIRING', 'ERROR', 'REVOKED'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A linked account. Its credentials are stored encrypted and are not part of this record. */
export interface Connection {
  id: string;
  orgId: string;
  /** Null for an organization-wide connection. */
  workspaceId: string | null;
  /** Internal id; set only in the scope USER. */
  endUserId: string | null;
  externalId: string;
  displayName: string;
  integrationName: string;
  authMethodKey: string;
  type: ConnectionType;
  status: ConnectionStatus;
  scope: ConnectionScope;
  /** Why the status is ERROR, if known. */
  statusReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}
