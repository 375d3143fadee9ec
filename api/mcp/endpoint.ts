import { Readable } from 'node:stream';
import { classifyInboundRequest, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { unauthorized } from '../../commands/access/authenticate-key.ts';
import { authenticateMcpToken } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import { isRecord } from '../../domain/unknown-values.ts';
import { bearerToken } from '../middleware/authenticate-api-key.ts';
import type { RateLimit } from '../middleware/rate-limit.ts';
import { readBodyOf } from '../middleware/read-body-of.ts';
import { answerLegacy } from './answer-legacy.ts';
import { answerModern } from './answer-modern.ts';
import { assertScopes } from './assert-scopes.ts';
import { buildServer, type ServerTraits } from './build-server.ts';
import { refuseToken } from './challenge.ts';
import { originCheck } from './origin-check.ts';
import type { AnswerJson } from './serialize-tools.ts';
import { sessionIdFor, sessionOpensUrls } from './session-id.ts';
import { toolChanges } from './tool-changes.ts';

const PATH = /^\/mcp\/srv_([^/]*)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * POST /mcp/srv_<id>: the endpoint of an MCP server, for every supported protocol revision
 * (specification 5.6). Failures before the MCP layer have the error body of contract decisions 1.
 */
export function mcpEndpoint(gateway: Gateway, limit: RateLimit): Middleware {
  let assertOrigin: ReturnType<typeof originCheck> | undefined;
  return async (ctx, next) => {
    const serverId = PATH.exec(ctx.path)?.[1];
    if (serverId === undefined) return next();
    assertOrigin ??= originCheck(gateway.config);
    assertOrigin(ctx);
    if (ctx.method !== 'POST') throw refuseMethod(ctx);
    // A malformed id gets the same answer as an unknown server.
    if (!UUID.test(serverId)) throw unauthorized();

    const token = bearerToken(ctx);
    const authenticate = () =>
      authenticateMcpToken(gateway, serverId, token ?? '').catch((error) =>
        refuseToken(gateway, ctx, serverId, token !== undefined, error),
      );
    const opened = await authenticate();
    limit(ctx, opened.principal.orgId);
    const { who: session, body: sent } = await readBodyOf(ctx, opened, authenticate);
    const { value: body, lostIntegers } = sent;
    if (body === undefined) throw new GatewayError('INVALID_JSON', 'Send a JSON-RPC message as the body.');
    const lostArguments = argumentsAmong(body, lostIntegers);
    if (lostIntegers.length > lostArguments.length) throw validationError(lostIntegers);
    assertScopes(gateway.config, session, body, ctx);
    if (Array.isArray(body)) for (const _ of body.slice(1)) limit(ctx, session.principal.orgId);
    ctx.set('Cache-Control', 'no-store');
    const bus = toolChanges(gateway, session, () => authenticateMcpToken(gateway, serverId, token!));
    await answer(gateway, ctx, body, bus, (traits) => buildServer(gateway, session, ctx.state.requestId, lostArguments, traits));
  };
}

const ARGUMENTS = 'params.arguments.';

/** Returns the problems in the arguments of a tool call, which the tool result reports. */
function argumentsAmong(body: unknown, issues: readonly Issue[]): Issue[] {
  if (!isRecord(body) || body.method !== 'tools/call') return [];
  return issues.filter(({ path }) => path.startsWith(ARGUMENTS)).map((issue) => ({ ...issue, path: issue.path.slice(ARGUMENTS.length) }));
}

type Open = (traits: ServerTraits) => ReturnType<typeof buildServer>;

async function answer({ tokens }: Gateway, ctx: Context, body: unknown, bus: ServerEventBus, open: Open): Promise<void> {
  const protocolVersion = ctx.get('MCP-Protocol-Version') || undefined;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersion && { protocolVersionHeader: protocolVersion }),
    ...(ctx.get('Mcp-Method') && { mcpMethodHeader: ctx.get('Mcp-Method') }),
    ...(ctx.get('Mcp-Name') && { mcpNameHeader: ctx.get('Mcp-Name') }),
  });
  if (kind !== 'legacy') return answerModern(() => open({ listChanged: true, inUrlSession: false }), bus, body, ctx);
  const inUrlSession = sessionOpensUrls(tokens, ctx.get('Mcp-Session-Id'));
  const { status, json, events } = await answerLegacy(() => open({ listChanged: false, inUrlSession }), body, {
    protocolVersion,
    takesEvents: takesEvents(ctx),
  });
  const sessionId = sessionIdFor(tokens, body);
  if (sessionId !== undefined) ctx.set('Mcp-Session-Id', sessionId);
  if (json !== undefined) return sendJson(ctx, status, json);
  ctx.body = events ?? null;
  ctx.status = status;
  if (events) ctx.type = 'text/event-stream';
}

/** Pieces are streamed, so that a long tool list is not copied. */
function sendJson(ctx: Context, status: number, json: AnswerJson): void {
  ctx.type = 'application/json';
  ctx.status = status;
  ctx.body = typeof json === 'string' ? json : Readable.from(json, { objectMode: false });
  if (typeof json !== 'string') ctx.length = json.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Whether the client takes event streams. A wildcard in `Accept` does not suffice, because not
 * every client that sends one can read event streams.
 */
function takesEvents(ctx: Context): boolean {
  return ctx.get('Accept').includes('text/event-stream');
}

function refuseMethod(ctx: Context): GatewayError {
  ctx.set('Allow', 'POST');
  return new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here: MCP messages are sent by POST.`);
}
