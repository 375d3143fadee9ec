import type { Middleware } from 'koa';
import type { Logger } from '../../infra/logger.ts';

/** Paths that end in a bearer token. */
const BEARER_PATH = /^(\/files\/).*/;
/** Any token of the service, wherever in a path it stands. */
const TOKENS = /(?:svc|mcp|mcpo|eut|cst|apr_link_v1)_[0-9A-Za-z]{16,}/g;

/** One line a request: its id, method, path without the query (which may hold a token), route, status, time, and the key it was made with. */
export function logRequests(logger: Logger): Middleware {
  return async (ctx, next) => {
    if (!logger.isLevelEnabled('debug')) return next();
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      logger.debug(
        {
          requestId: ctx.state.requestId,
          method: ctx.method,
          path: ctx.path.replace(BEARER_PATH, '$1').replace(TOKENS, '[token]'),
          route: ctx.state.route,
          status: ctx.status,
          durationMs: Math.round(performance.now() - startedAt),
          keyId: ctx.state.keyId,
        },
        'request',
      );
    }
  };
}
