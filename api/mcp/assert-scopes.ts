import type { Context } from 'koa';
import type { McpSession } from '../../commands/authenticate-mcp-token.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type McpScope, scopesOf } from '../../domain/mcp-server.ts';

/**
 * Refuses what the scopes of the token don't cover: a TOOLS server needs mcp:tools; on a CODE server either scope finds actions and
 * svc_execute needs mcp:code. Throws INSUFFICIENT_SCOPE;
 * the challenge asks at once for all that the mode of the server needs, since clients can't step up twice.
 */
export function assertScopes({ principal, server }: Pick<McpSession, 'principal' | 'server'>, body: unknown, ctx: Context): void {
  const messages = Array.isArray(body) ? body : [body];
  const needed: McpScope = server.mode === 'CODE' && messages.some(runsCode) ? 'mcp:code' : 'mcp:tools';
  const enough: readonly McpScope[] = needed === 'mcp:tools' ? scopesOf(server.mode) : [needed];
  if (enough.some((scope) => principal.scopes.includes(scope))) return;
  ctx.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scopesOf(server.mode).join(' ')}"`);
  throw new GatewayError('INSUFFICIENT_SCOPE', `This token lacks the scope ${needed}.`, { missing: [needed] });
}

function runsCode(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === 'tools/call' && params?.name === 'svc_execute';
}
