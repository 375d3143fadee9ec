import type { Middleware } from 'koa';
import { openSourceAddress } from '../../infra/addresses/source-address.ts';

/**
 * Sets `ctx.ip`, the source address for rate limits. Reads only the entries of X-Forwarded-For that
 * the proxies in TRUSTED_PROXIES have written.
 */
export function sourceAddress(trustedProxies: readonly string[]): Middleware {
  const sourceOf = openSourceAddress(trustedProxies);
  return (ctx, next) => {
    ctx.request.ip = sourceOf(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For'));
    return next();
  };
}
