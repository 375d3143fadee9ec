import type { Actor } from '../../domain/approval.ts';
import { tokenActivity } from '../../domain/audit/change-activity.ts';
import { type McpServer, scopesOf } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { displayPrefix } from '../../infra/tokens.ts';
import { replaceStaticToken } from '../../store/mcp-tokens.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Replaces an MCP server's static bearer token, in the caller's transaction. Returns the plain
 * token, which is stored nowhere.
 */
export async function issueStaticToken(gateway: Gateway, tx: Db, server: McpServer, by: Actor): Promise<string> {
  const token = gateway.tokens.issue('mcp_');
  const shown = {
    ...{ kind: 'static' as const, tokenPrefix: displayPrefix(token, 'mcp_') },
    ...{ scopes: scopesOf(server.mode), expiresAt: null },
  };
  await replaceStaticToken(tx, {
    orgId: server.orgId,
    workspaceId: server.workspaceId,
    serverId: server.id,
    tokenHash: gateway.tokens.hash(token),
    endUserId: null,
    ...shown,
  });
  await recordActivity(tx, tokenActivity('mcp_token.issued', server, { ...shown, endUserId: server.endUserExternalId }, by));
  return token;
}
