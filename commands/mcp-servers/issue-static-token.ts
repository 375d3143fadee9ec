import { type McpServer, scopesOf } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { displayPrefix } from '../../infra/tokens.ts';
import { replaceStaticToken } from '../../store/mcp-tokens.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Replaces a server's static bearer token in the caller's transaction. The plain token is returned
 * here and stored nowhere.
 */
export async function issueStaticToken(
  gateway: Gateway,
  tx: Db,
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'mode'>,
): Promise<string> {
  const token = gateway.tokens.issue('mcp_');
  await replaceStaticToken(tx, {
    orgId: server.orgId,
    workspaceId: server.workspaceId,
    serverId: server.id,
    kind: 'static',
    tokenPrefix: displayPrefix(token, 'mcp_'),
    tokenHash: gateway.tokens.hash(token),
    endUserId: null,
    scopes: scopesOf(server.mode),
    expiresAt: null,
  });
  return token;
}
