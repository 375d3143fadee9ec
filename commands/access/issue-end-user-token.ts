import type { Actor } from '../../domain/approval.ts';
import { tokenActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { authFlags, type McpScope, type McpServer, scopesOf } from '../../domain/mcp-server.ts';
import { displayPrefix } from '../../infra/tokens.ts';
import { holdEndUserByExternalId } from '../../store/end-users.ts';
import { insertMcpToken, type McpToken } from '../../store/mcp-tokens.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { findTokenEndUser } from './find-token-end-user.ts';

export interface IssueEndUserToken {
  kind: 'end_user' | 'oauth';
  /** External or internal id. */
  endUserId: string;
  scopes?: readonly string[] | undefined;
  expiresIn: number;
}

export interface EndUserToken {
  /** Stored nowhere. */
  token: string;
  record: McpToken & { expiresAt: Date };
  endUserExternalId: string;
}

const PREFIXES = { end_user: 'mcp_', oauth: 'mcpo_' } as const;

/**
 * Issues a token for one end user on one MCP server (specification 4.2). Throws WORKSPACE_REQUIRED,
 * INVALID_MCP_SCOPES, MCP_BEARER_DISABLED, MCP_OAUTH_DISABLED, and the errors of
 * `findTokenEndUser`.
 */
export async function issueEndUserToken(gateway: Gateway, by: Actor, server: McpServer, request: IssueEndUserToken): Promise<EndUserToken> {
  const { orgId, workspaceId, id: serverId } = server;
  if (!workspaceId) throw new GatewayError('WORKSPACE_REQUIRED', 'End-user tokens need a server that belongs to a workspace.');
  const scopes = grantedScopes(server, request.scopes);
  const endUser = await findTokenEndUser(gateway.db, server, request.endUserId);
  assertEnabled(server, request.kind);

  const prefix = PREFIXES[request.kind];
  const token = gateway.tokens.issue(prefix);
  const expiresAt = new Date(Date.now() + request.expiresIn * 1000);
  const fields = {
    ...{ orgId, workspaceId, serverId, kind: request.kind, endUserId: endUser.id, scopes, expiresAt },
    ...{ tokenPrefix: displayPrefix(token, prefix), tokenHash: gateway.tokens.hash(token) },
  };
  const record = await gateway.db.transaction(async (tx) => {
    // The end user is locked before the MCP server, as in a deletion of the end user (see
    // `holdWorkspace`).
    await holdEndUserByExternalId(tx, endUser);
    await recordActivity(tx, tokenActivity('mcp_token.issued', server, { ...fields, endUserId: endUser.externalId }, by));
    return insertMcpToken(tx, fields);
  });
  return { token, record: { ...record, expiresAt }, endUserExternalId: endUser.externalId };
}

function grantedScopes({ mode }: McpServer, asked: readonly string[] | undefined): McpScope[] {
  const supported = scopesOf(mode);
  const unsupported = (asked ?? []).filter((scope) => !(supported as string[]).includes(scope));
  if (unsupported.length > 0) {
    throw new GatewayError('INVALID_MCP_SCOPES', `A server in ${mode} mode supports only the scopes ${supported.join(', ')}.`, {
      supported,
    });
  }
  return supported.filter((scope) => asked === undefined || asked.includes(scope));
}

function assertEnabled({ authMode }: McpServer, kind: IssueEndUserToken['kind']): void {
  const { endUserBearerTokensEnabled, oauthEnabled } = authFlags(authMode);
  if (kind === 'end_user' && !endUserBearerTokensEnabled)
    throw new GatewayError('MCP_BEARER_DISABLED', 'The authMode of this server does not enable bearer tokens of end users.');
  if (kind === 'oauth' && !oauthEnabled)
    throw new GatewayError('MCP_OAUTH_DISABLED', 'The authMode of this server does not enable MCP OAuth.');
}
