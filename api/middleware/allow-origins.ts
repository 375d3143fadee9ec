import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** The paths, methods and headers that web pages of allowed origins can use. */
export interface Sharing {
  paths: RegExp;
  methods: string[];
  /** Undefined allows every header. */
  sendable?: string[];
  /** Response headers that pages can read. */
  readable: string[];
}

/** The sharing of the REST API and its OpenAPI document. The hosted pages are not shared. */
export const REST_SHARING: Sharing = {
  paths: /^\/(?:api\/|openapi\.json$)/,
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  sendable: ['Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id', 'X-Svc-Source'],
  readable: ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'],
};

/**
 * The sharing of the MCP endpoints. Web pages can send every header, because the protocol revisions
 * use different headers.
 */
export const MCP_SHARING: Sharing = {
  paths: /^\/mcp\//,
  methods: ['POST'],
  readable: ['MCP-Protocol-Version', 'Mcp-Session-Id', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
};

const PREFLIGHT_SECONDS = 600;

/** Returns a predicate on origins. In `origins`, `*` allows every origin. */
export function originJudge(origins: readonly string[]): (origin: string) => boolean {
  const allowed = new Set(origins.map((origin) => (URL.canParse(origin) ? new URL(origin).origin : origin)));
  return (origin) => allowed.has('*') || allowed.has(origin);
}

/**
 * CORS for web pages of these origins (CORS_ORIGINS, MCP_CORS_ORIGINS). Cookies are never allowed.
 * A page must send a key or a token.
 */
export function allowOrigins(origins: readonly string[], { paths, methods, sendable, readable }: Sharing): Middleware {
  const isAllowed = originJudge(origins);
  const answer = cors({
    origin: (ctx) => (origins.includes('*') ? '*' : isAllowed(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: methods,
    ...(sendable && { allowHeaders: sendable }),
    exposeHeaders: readable,
    maxAge: PREFLIGHT_SECONDS,
    credentials: false,
  });
  return (ctx, next) => (origins.length > 0 && paths.test(ctx.path) ? answer(ctx, next) : next());
}
