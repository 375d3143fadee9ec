import type { Context } from 'koa';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type McpScope, scopesOf } from '../../domain/mcp-server.ts';
import type { Config } from '../../infra/config.ts';
import { challengeOf } from './challenge.ts';

/**
 * Throws INSUFFICIENT_SCOPE, with a challenge, if the token lacks the scope that the messages need.
 */
export function assertScopes(
  config: Pick<Config, 'baseUrl'>,
  { principal, server }: Pick<McpSession, 'principal' | 'server'>,
  body: unknown,
  ctx: Context,
): void {
  const messages = Array.isArray(body) ? body : [body];
  const needed: McpScope = server.mode === 'CODE' && messages.some(runsCode) ? 'mcp:code' : 'mcp:tools';
  const enough: readonly McpScope[] = needed === 'mcp:tools' ? scopesOf(server.mode) : [needed];
  if (enough.some((scope) => principal.scopes.includes(scope))) return;
  ctx.set('WWW-Authenticate', challengeOf(config, server, 'insufficient_scope'));
  throw new GatewayError('INSUFFICIENT_SCOPE', `This token lacks the scope ${needed}.`, { missing: [needed] });
}

function runsCode(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === 'tools/call' && params?.name === 'svc_execute';
}
