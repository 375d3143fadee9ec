import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** What pages of other origins may call: the REST interface and its description. Hosted pages and MCP have rules of their own. */
const SHARED = /^\/(?:api\/|openapi\.json$)/;

const READABLE = [
  'ETag',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];
const SENDABLE = ['Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id', 'X-Svc-Source'];
const PREFLIGHT_SECONDS = 600;

/**
 * Lets web pages of these origins call the REST interface (CORS_ORIGINS; `*` = of any). Never with cookies: a page must hold a key, and
 * any other origin gets no header that would let it read an answer.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  const allowed = new Set(origins.map((origin) => (URL.canParse(origin) ? new URL(origin).origin : origin)));
  const answer = cors({
    origin: (ctx) => (allowed.has('*') ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: SENDABLE,
    exposeHeaders: READABLE,
    maxAge: PREFLIGHT_SECONDS,
    credentials: false,
  });
  return (ctx, next) => (allowed.size > 0 && SHARED.test(ctx.path) ? answer(ctx, next) : next());
}
