import type { Middleware } from 'koa';
import type { Logger } from '../../infra/logger.ts';

/** Paths that end in a bearer token. */
const BEARER_PATH = /^(\/files\/).*/;

/** One line a request: id, method, path without its query (which may hold a link token), status, time. */
export function logRequests(logger: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      logger.debug(
        {
          requestId: ctx.state.requestId,
          method: ctx.method,
          path: ctx.path.replace(BEARER_PATH, '$1'),
          status: ctx.status,
          ms: Math.round(performance.now() - startedAt),
        },
        'request',
      );
    }
  };
}
