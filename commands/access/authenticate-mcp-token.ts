import { GatewayError } from '../../domain/errors.ts';
import type { TokenPrincipal } from '../../domain/principal.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { type TokenLookup, touchMcpToken } from '../../store/mcp-tokens.ts';
import type { Gateway } from '../gateway.ts';
import { unauthorized } from './authenticate-key.ts';

/** The caller of an MCP server, and the server as it was when the token was looked up. */
export interface McpSession {
  principal: TokenPrincipal;
  server: TokenLookup['server'];
  surfaceVersion: number;
}

const PREFIXES = ['mcp_', 'mcpo_'] as const;

/**
 * Authenticates a bearer token on an MCP server (specification 5.6). Throws SERVER_SUSPENDED, and
 * UNAUTHORIZED for an invalid token or an unknown MCP server.
 */
export async function authenticateMcpToken(gateway: Gateway, serverId: string, token: string): Promise<McpSession> {
  if (!PREFIXES.some((prefix) => isWellFormed(token, prefix))) throw unauthorized();
  const found = await gateway.lookups.mcpToken(gateway.tokens.hash(token), serverId);
  if (!found) throw unauthorized();
  const { id, endUserId, scopes, policiesVersion, seenAt, surfaceVersion, server } = found;
  if (found.stale) {
    touchMcpToken(gateway.db, id).catch((error) =>
      gateway.logger.warn({ tokenId: id, error: String(error) }, 'MCP token last use not recorded'),
    );
  }
  if (server.suspended) throw new GatewayError('SERVER_SUSPENDED', 'This MCP server is suspended.');
  return {
    principal: {
      type: 'mcp_token',
      id,
      orgId: server.orgId,
      workspaceId: server.workspaceId,
      serverId: server.id,
      endUserId,
      scopes,
      policiesVersion,
      seenAt,
    },
    server,
    surfaceVersion,
  };
}
