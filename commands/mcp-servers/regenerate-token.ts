import type { Actor } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { authFlags, type McpServer } from '../../domain/mcp-server.ts';
import { findMcpServer } from '../../store/mcp-servers.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { mayHaveStaticToken } from './create-mcp-server.ts';
import { noSuchServer } from './get-mcp-server.ts';
import { issueStaticToken } from './issue-static-token.ts';

/**
 * Replaces an MCP server's static bearer token and returns the new token. The old token stops
 * working immediately. Throws NOT_FOUND, MCP_BEARER_DISABLED, MCP_STATIC_BEARER_INCOMPATIBLE.
 */
export async function regenerateToken(gateway: Gateway, by: Actor, { orgId, workspaceId, id }: McpServer): Promise<string> {
  return changeSurface(gateway.db, workspaceId, async (tx) => {
    const server = await findMcpServer(tx, orgId, id);
    if (!server) throw noSuchServer();
    if (!authFlags(server.authMode).staticBearerEnabled)
      throw new GatewayError('MCP_BEARER_DISABLED', 'The authMode of this server does not enable a static bearer token.');
    if (!(await mayHaveStaticToken(gateway, tx, server))) {
      throw new GatewayError(
        'MCP_STATIC_BEARER_INCOMPATIBLE',
        'An integration of this workspace needs an account per user, and a static token names no user. Scope the server to one endUserId, or use per_user_with_fallback.',
      );
    }
    return issueStaticToken(gateway, tx, server, by);
  });
}
