/** How an account is linked (decisions section 2, Connections). */
export const CONNECTION_TYPES = ['SECRET_TEXT', 'BASIC_AUTH', 'CUSTOM_AUTH', 'OAUTH2', 'PLATFORM_OAUTH2'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** Who may use a connection: everybody in the organization, in one workspace, or calls for one end user. */
export const CONNECTION_SCOPES = ['ORGANIZATION', 'WORKSPACE', 'USER'] as const;
export type ConnectionScope = (typeof CONNECTION_SCOPES)[number];

/** ERROR: the third party refused the credentials; it needs reconnecting. */
export const CONNECTION_STATUSES = ['ACTIVE', 'EXPIRING', 'ERROR', 'REVOKED'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A linked account. Its credentials stay sealed in the table. */
export interface Connection {
  id: string;
  orgId: string;
  /** Null for one of the whole organization. */
  workspaceId: string | null;
  /** Internal id; set in the scope USER alone. */
  endUserId: string | null;
  externalId: string;
  displayName: string;
  integrationName: string;
  authMethodKey: string;
  type: ConnectionType;
  status: ConnectionStatus;
  scope: ConnectionScope;
  createdAt: Date;
  updatedAt: Date;
}
