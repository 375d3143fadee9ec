/** MCP servers, their tools and tokens (specification 2.2 to 2.4). */

export const SERVER_MODES = ['TOOLS', 'CODE'] as const;
export type ServerMode = (typeof SERVER_MODES)[number];

export const AUTH_MODES = ['oauth', 'bearer', 'oauth_and_bearer'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

export const END_USER_ACCESS = ['restricted', 'open'] as const;

export const MCP_SCOPES = ['mcp:tools', 'mcp:code'] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

interface McpServerSettings {
  codeMode?: { approvalWaitSeconds?: number };
  /** Whether clients that can open URLs are asked to open the approval page. Default false. */
  approvalElicitation?: boolean;
  [other: string]: unknown;
}

/** The record of an MCP server. `endUserId` is the internal id; callers see `endUserExternalId`. */
export interface McpServer {
  id: string;
  orgId: string;
  workspaceId: string;
  name: string;
  description: string | null;
  mode: ServerMode;
  settings: McpServerSettings;
  authMode: AuthMode;
  endUserAccess: (typeof END_USER_ACCESS)[number];
  endUserId: string | null;
  endUserExternalId: string | null;
  createdBy: string | null;
  suspendedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** `sourceWorkspaceIntegrationId` is null for a tool that was added manually. */
export interface McpTool {
  id: string;
  orgId: string;
  workspaceId: string;
  serverId: string;
  integrationName: string;
  integrationAlias: string;
  actionName: string;
  connectionId: string | null;
  displayName: string | null;
  description: string | null;
  inputDefaults: Record<string, unknown> | null;
  partialIds: string[];
  sortOrder: number;
  sourceWorkspaceIntegrationId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The authentication methods of an MCP server, derived from its authMode (specification 2.2). */
export function authFlags(authMode: AuthMode) {
  const oauthEnabled = authMode !== 'bearer';
  const bearerEnabled = authMode !== 'oauth';
  return {
    oauthEnabled,
    bearerEnabled,
    staticBearerEnabled: bearerEnabled,
    endUserBearerTokensEnabled: bearerEnabled,
    accessTokensEnabled: bearerEnabled,
  };
}

/** The scopes that an MCP server of this mode supports (contract decisions 4). */
export function scopesOf(mode: ServerMode): McpScope[] {
  return mode === 'CODE' ? ['mcp:tools', 'mcp:code'] : ['mcp:tools'];
}

/**
 * Whether the static token is shared. A shared token names no end user, so it cannot serve strict
 * per-user integrations.
 */
export function sharesStaticToken(server: Pick<McpServer, 'authMode' | 'endUserId'>): boolean {
  return server.authMode !== 'oauth' && server.endUserId === null;
}
