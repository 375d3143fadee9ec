import { GatewayError } from '../domain/errors.ts';
import type { TokenPrincipal } from '../domain/principal.ts';
import { isWellFormed } from '../infra/tokens.ts';
import { findMcpTokenByHash, type TokenLookup } from '../store/mcp-tokens.ts';
import { unauthorized } from './authenticate-key.ts';
import type { Gateway } from './gateway.ts';

/** Who calls an MCP server, and the server as it was when the token was looked up. */
export interface McpSession {
  principal: TokenPrincipal;
  server: TokenLookup['server'];
  surfaceVersion: number;
}

const PREFIXES = ['mcp_', 'mcpo_'] as const;

/**
 * Whom a bearer token stands for on a server: one prepared round trip, none for a string that can't be a token (specification 5.6).
 * Throws UNAUTHORIZED, also where there is no such server, and SERVER_SUSPENDED.
 */
export async function authenticateMcpToken(gateway: Gateway, serverId: string, token: string): Promise<McpSession> {
  if (!PREFIXES.some((prefix) => isWellFormed(token, prefix))) throw unauthorized();
  const found = await findMcpTokenByHash(gateway.db, gateway.tokens.hash(token), serverId);
  if (!found) throw unauthorized();
  const { id, endUserId, scopes, policiesVersion, seenAt, surfaceVersion, server } = found;
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
