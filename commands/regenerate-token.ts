import { GatewayError } from '../domain/errors.ts';
import { authFlags, type McpServer } from '../domain/mcp-server.ts';
import { findMcpServer } from '../store/mcp-servers.ts';
import { changeSurface } from './change-surface.ts';
import { mayHaveStaticToken } from './create-mcp-server.ts';
import type { Gateway } from './gateway.ts';
import { issueStaticToken } from './issue-static-token.ts';

/** Replaces a server's static bearer token; the old one stops working at once. Throws NOT_FOUND, MCP_BEARER_DISABLED, MCP_STATIC_BEARER_INCOMPATIBLE. */
export async function regenerateToken(gateway: Gateway, { orgId, workspaceId, id }: McpServer): Promise<string> {
  return changeSurface(gateway.db, workspaceId, async (tx) => {
    const server = await findMcpServer(tx, orgId, id);
    if (!server) throw new GatewayError('NOT_FOUND', 'There is no such MCP server.');
    if (!authFlags(server.authMode).staticBearerEnabled)
      throw new GatewayError('MCP_BEARER_DISABLED', 'The authMode of this server does not enable a static bearer token.');
    if (!(await mayHaveStaticToken(gateway, tx, server))) {
      throw new GatewayError(
        'MCP_STATIC_BEARER_INCOMPATIBLE',
        'An integration of this workspace needs an account of each user, and a static token names none. Scope the server to one endUserId, or use per_user_with_fallback.',
      );
    }
    return issueStaticToken(gateway, tx, server);
  });
}
