import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { unauthorized } from '../../commands/authenticate-key.ts';
import { authenticateMcpToken } from '../../commands/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { GatewayError } from '../../domain/errors.ts';
import { bearerToken } from '../middleware/authenticate-api-key.ts';
import type { RateLimit } from '../middleware/rate-limit.ts';
import { readBodyOf } from '../middleware/read-body-of.ts';
import { answerLegacy } from './answer-legacy.ts';
import { answerModern } from './answer-modern.ts';
import { assertOrigin } from './assert-origin.ts';
import { assertScopes } from './assert-scopes.ts';
import { buildServer } from './build-server.ts';

const PATH = /^\/mcp\/srv_([^/]*)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** POST /mcp/srv_<id>: the MCP servers (specification 5.6), every revision, without sessions. What fails before MCP answers in the envelope of decisions section 1. */
export function mcpEndpoint(gateway: Gateway, limit: RateLimit): Middleware {
  return async (ctx, next) => {
    const serverId = PATH.exec(ctx.path)?.[1];
    if (serverId === undefined) return next();
    assertOrigin(gateway.config, ctx);
    if (ctx.method !== 'POST') throw refuseMethod(ctx);
    // Like a server that is not there: no credential is good for it.
    if (!UUID.test(serverId)) throw unauthorized();

    const authenticate = () => authenticateMcpToken(gateway, serverId, bearerToken(ctx) ?? '');
    const opened = await authenticate();
    limit(ctx, opened.principal.orgId);
    const { who: session, body } = await readBodyOf(ctx, opened, authenticate);
    if (body === undefined) throw new GatewayError('INVALID_JSON', 'Send a JSON-RPC message as the body.');
    assertScopes(session, body, ctx);
    if (Array.isArray(body)) for (const _ of body.slice(1)) limit(ctx, session.principal.orgId);
    ctx.set('Cache-Control', 'no-store');
    await answer(ctx, body, () => buildServer(gateway, session, ctx.state.requestId));
  };
}

async function answer(ctx: Context, body: unknown, open: () => ReturnType<typeof buildServer>): Promise<void> {
  const protocolVersion = ctx.get('MCP-Protocol-Version') || undefined;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersion && { protocolVersionHeader: protocolVersion }),
    ...(ctx.get('Mcp-Method') && { mcpMethodHeader: ctx.get('Mcp-Method') }),
    ...(ctx.get('Mcp-Name') && { mcpNameHeader: ctx.get('Mcp-Name') }),
  });
  if (kind !== 'legacy') return answerModern(open, body, ctx);
  const { status, json, events } = await answerLegacy(open, body, { protocolVersion, takesEvents: takesEvents(ctx) });
  ctx.body = events ?? json ?? null;
  ctx.status = status;
  if (json !== undefined) ctx.type = 'application/json';
  if (events) ctx.type = 'text/event-stream';
}

/** A client that takes anything is one that knows no events. */
function takesEvents(ctx: Context): boolean {
  return ctx.get('Accept').includes('text/event-stream');
}

function refuseMethod(ctx: Context): GatewayError {
  ctx.set('Allow', 'POST');
  return new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here: MCP messages are sent by POST.`);
}
