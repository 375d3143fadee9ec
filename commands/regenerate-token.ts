import { GatewayError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { changeSurface } from './change-surface.ts';
import { mayHaveStaticToken } from './create-mcp-server.ts';
import type { Gateway } from './gateway.ts';
import { issueStaticToken } from './issue-static-token.ts';

/** Replaces a server's static bearer token; the old one stops working at once. Throws MCP_BEARER_DISABLED, MCP_STATIC_BEARER_INCOMPATIBLE. */
export async function regenerateToken(gateway: Gateway, server: McpServer): Promise<string> {
  if (server.authMode === 'oauth')
    throw new GatewayError('MCP_BEARER_DISABLED', 'The authMode of this server does not enable a static bearer token.');
  return changeSurface(gateway.db, server.workspaceId, async (tx) => {
    if (!(await mayHaveStaticToken(gateway, tx, server))) {
      throw new GatewayError(
        'MCP_STATIC_BEARER_INCOMPATIBLE',
        'An integration of this workspace needs an account of each user, and a static token names none. Scope the server to one endUserId, or use per_user_with_fallback.',
      );
    }
    return issueStaticToken(gateway, tx, server);
  });
}
