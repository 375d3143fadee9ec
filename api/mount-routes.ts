import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import type { KeyedRecord } from '../commands/access/authenticate-key.ts';
import type { Gateway } from '../commands/gateway.ts';
import { type ErrorCode, GatewayError, validationError } from '../domain/errors.ts';
import type { KeyPrincipal } from '../domain/principal.ts';
import { shareCalls } from '../infra/concurrency/share-calls.ts';
import { breathe } from '../infra/event-loop/breathe.ts';
import { parseOrExplain } from '../integrations/parse-or-explain.ts';
import { compressAnswer } from './compress-answer.ts';
import { goneSignal } from './gone-signal.ts';
import { authenticateAndRead, authenticateApiKey } from './middleware/authenticate-api-key.ts';
import type { RateLimit } from './middleware/rate-limit.ts';
import { readBodyOf } from './middleware/read-body-of.ts';
import { spareUnchanged } from './middleware/spare-unchanged.ts';
import { Answer, notFound, type Route } from './route.ts';
import { VERSION_MAX } from './schemas.ts';
import { textBody } from './text-body.ts';

/**
 * Maximum time in ms that a request waits for a running shared handler. Then the request starts the
 * handler again.
 */
const MAX_WAIT_MS = 2;

/**
 * Serves a table of routes. Checks run in the order of contract decisions 1: credential, rate
 * limit, body, then query, headers and path, then the checks of the handler.
 */
export function mountRoutes(gateway: Gateway, routes: readonly Route[], limit: RateLimit): Middleware[] {
  const routers = new Map<string, Router>();
  const share = shareCalls<Answer>({ maxWaitMs: MAX_WAIT_MS });
  for (const definition of routes) {
    const resource = resourceOf(definition.path);
    const router = routers.get(resource) ?? new Router();
    routers.set(resource, router);
    router[definition.method](koaPath(definition.path), async (ctx: Context) => {
      ctx.state.route = definition.path;
      const { principal: admitted, record } = await admit(gateway, definition, ctx, limit);
      const { who: principal, body } = await readBody(gateway, definition, ctx, admitted);
      const query = readQuery(definition, ctx);
      const headers = readHeaders(definition, ctx);
      const params = readParams(definition, ctx);
      const handle = async () => {
        const answer = await definition.handle({ gateway, principal, params, query, body, headers, record, gone: () => goneSignal(ctx) });
        return answer instanceof Answer ? answer : new Answer(Number(Object.keys(definition.answers)[0]), answer);
      };
      const answer = await (definition.isShared ? share(keyOfList(ctx, principal), async () => asText(await handle())) : handle());
      await breathe();
      send(ctx, answer, definition);
    });
  }
  const tables = new Map([...routers].map(([resource, router]) => [resource, router.routes() as unknown as Middleware]));
  return [(ctx, next) => tables.get(resourceOf(ctx.path))?.(ctx, next) ?? next(), refuseMethod(routes)];
}

function keyOfList({ path, querystring }: Context, { id, workspaceIds, mayDecide }: KeyPrincipal): string {
  return JSON.stringify([path, querystring, id, workspaceIds, mayDecide]);
}

function asText({ status, body, headers }: Answer): Answer {
  return new Answer(status, typeof body === 'string' || Array.isArray(body) ? body : JSON.stringify(body), headers);
}

/**
 * Returns the resource of a path. Each resource has its own router, because a router tries one
 * pattern after another.
 */
function resourceOf(path: string): string {
  return path.split('/', 4)[3]?.toLowerCase() ?? '';
}

/** Refuses unknown query keys, even on routes that define no query (contract decisions 7). */
function readQuery({ query }: Route, ctx: Context): unknown {
  if (!query && ctx.querystring === '') return undefined;
  return check(query ?? NO_QUERY, ctx.query, 'VALIDATION_ERROR');
}

const NO_QUERY = z.strictObject({}).transform(() => undefined);

async function admit(gateway: Gateway, definition: Route, ctx: Context, limit: RateLimit): Promise<KeyedRecord<unknown>> {
  // Only public routes can be called without a key, so the type hides that `NOBODY` is undefined.
  if (definition.access === 'public' && ctx.get('Authorization') === '') return { principal: NOBODY, record: undefined };
  const authenticated = await authenticate(gateway, definition, ctx);
  const { principal } = authenticated;
  ctx.state.keyId = principal.id;
  limit(ctx, principal.orgId);
  return authenticated;
}

async function authenticate(gateway: Gateway, { read, params }: Route, ctx: Context): Promise<KeyedRecord<unknown>> {
  const asked = read && params?.safeParse(ctx.params);
  if (!asked?.success) return { principal: await authenticateApiKey(gateway, ctx), record: undefined };
  return authenticateAndRead(gateway, ctx, (keyHash) => read!(gateway, keyHash, asked.data));
}

const NOBODY = undefined as unknown as KeyPrincipal;

function send(ctx: Context, { status, body, headers }: Answer, { isCompressible }: Route): void {
  ctx.status = status;
  ctx.type = 'json';
  const { Vary, ...others } = headers;
  ctx.set({ 'Cache-Control': 'no-store', ...others });
  if (Vary) ctx.vary(Vary);
  if (isCompressible) ctx.vary('Accept-Encoding');
  spareUnchanged(ctx);
  if (ctx.status === 304) return;
  if (!isCompressible || !compressAnswer(ctx, piecesOf(body))) ctx.body = isText(body) ? textBody(body) : body;
}

function isText(body: Answer['body']): body is string | readonly string[] {
  return typeof body === 'string' || Array.isArray(body);
}

function piecesOf(body: Answer['body']): readonly string[] {
  return isText(body) ? [body].flat() : [JSON.stringify(body)];
}

interface Checked {
  who: KeyPrincipal;
  body: unknown;
}

async function readBody(gateway: Gateway, definition: Route, ctx: Context, admitted: KeyPrincipal): Promise<Checked> {
  if (definition.method === 'get') return { who: admitted, body: undefined };
  const { largeField } = definition;
  const large = largeField && { ...largeField, authorize: () => largeField.authorize(admitted) };
  const { who, body } = await readBodyOf(ctx, admitted, async () => admitted && authenticateApiKey(gateway, ctx), large);
  if (body.lostIntegers.length > 0) throw validationError(body.lostIntegers, definition.invalid);
  const checked = definition.body && check(definition.body, body.value, definition.invalid ?? 'VALIDATION_ERROR');
  await breathe();
  return { who, body: checked };
}

/** Requests can spell headers in any case. */
function readHeaders({ headers }: Route, ctx: Context): unknown {
  if (!headers) return undefined;
  const names = Object.keys((headers as z.ZodObject).shape);
  return check(headers, Object.fromEntries(names.map((name) => [name, ctx.get(name) || undefined])), 'VALIDATION_ERROR');
}

function readParams(definition: Route, ctx: Context): unknown {
  if (!definition.params) return undefined;
  const parsed = definition.params.safeParse(ctx.params);
  if (parsed.success) return parsed.data;
  const malformed = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const shape = (definition.params as z.ZodObject).shape;
  const replaced = [...malformed].map((name) => [name, UNKNOWN_IDS.find((id) => (shape[name] as z.ZodType).safeParse(id).success)]);
  const unknown = definition.params.safeParse({ ...ctx.params, ...Object.fromEntries(replaced) });
  if (!unknown.success) throw notFound(definition.notFound);
  return unknown.data;
}

/**
 * The handler gets one of these in place of a malformed id. No record has it, so a malformed id
 * gets the answer of an unknown id (contract decisions 1).
 */
const UNKNOWN_IDS = ['00000000-0000-0000-0000-000000000000', String(VERSION_MAX)];

function check(schema: z.ZodType, value: unknown, code: ErrorCode): unknown {
  const parsed = parseOrExplain(schema, value);
  if (parsed.ok) return parsed.value;
  throw validationError(parsed.issues, code);
}

function refuseMethod(routes: readonly Route[]): Middleware {
  const table = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  for (const { path, method } of routes) {
    const entry = table.get(path) ?? {
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
      methods: new Set(),
    };
    entry.methods.add(method.toUpperCase());
    if (method === 'get') entry.methods.add('HEAD');
    table.set(path, entry);
  }
  return async (ctx, next) => {
    const methods = [...table.values()].filter(({ pattern }) => pattern.test(ctx.path)).flatMap((entry) => [...entry.methods]);
    if (methods.length === 0) return next();
    ctx.set('Allow', [...new Set(methods)].join(', '));
    throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
  };
}

function koaPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
