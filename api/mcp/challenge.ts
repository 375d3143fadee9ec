import type { Context } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { GatewayError } from '../../domain/errors.ts';
import { authFlags, type McpServer, scopesOf } from '../../domain/mcp-server.ts';
import type { Config } from '../../infra/config.ts';
import { findServerAccess } from '../../store/mcp-servers.ts';
import { resourceMetadataUrl } from '../oauth/metadata.ts';

/**
 * Throws `error`. For UNAUTHORIZED, first sets the header `WWW-Authenticate` (RFC 6750 section 3,
 * RFC 9728 section 5.1).
 */
export async function refuseToken(gateway: Gateway, ctx: Context, serverId: string, hasToken: boolean, error: unknown): Promise<never> {
  if (error instanceof GatewayError && error.code === 'UNAUTHORIZED') {
    const server = await findServerAccess(gateway.db, serverId);
    const problem = hasToken ? 'invalid_token' : undefined;
    ctx.set('WWW-Authenticate', server ? challengeOf(gateway.config, { ...server, id: serverId }, problem) : 'Bearer');
  }
  throw error;
}

/**
 * Returns the challenge of an MCP server: the value of `WWW-Authenticate`. The challenge asks for
 * all scopes of the server's mode together, because clients can ask for further scopes only once.
 */
export function challengeOf(
  config: Pick<Config, 'baseUrl'>,
  { id, mode, authMode }: Pick<McpServer, 'id' | 'mode' | 'authMode'>,
  error?: 'invalid_token' | 'insufficient_scope',
): string {
  const parameters = [
    ...(error ? [`error="${error}"`] : []),
    ...(authFlags(authMode).oauthEnabled ? [`resource_metadata="${resourceMetadataUrl(config, id)}"`] : []),
    `scope="${scopesOf(mode).join(' ')}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}
