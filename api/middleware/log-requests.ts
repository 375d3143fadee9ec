import type { Middleware } from 'koa';
import type { Logger } from '../../infra/logger.ts';
import { TOKEN_PREFIXES } from '../../infra/tokens.ts';

/** Paths that end in a bearer token. */
const BEARER_PATH = /^(\/files\/).*/;
const TOKENS = new RegExp(`(?:${TOKEN_PREFIXES.join('|')})[0-9A-Za-z]{16,}`, 'g');

/**
 * Logs each request at level debug. Leaves out the query, because the query can contain a token.
 */
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
