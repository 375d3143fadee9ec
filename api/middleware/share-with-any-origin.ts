import cors from '@koa/cors';
import type { Middleware } from 'koa';

const READABLE = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const PREFLIGHT_SECONDS = 3600;

/**
 * CORS for endpoints that web pages of every origin may call. The endpoints are safe to share,
 * because a browser adds no credential to such a request by itself. Cookies are never allowed.
 */
export function shareWithAnyOrigin(methods: readonly string[]): Middleware {
  return cors({ origin: '*', allowMethods: [...methods], exposeHeaders: READABLE, maxAge: PREFLIGHT_SECONDS, credentials: false });
}
