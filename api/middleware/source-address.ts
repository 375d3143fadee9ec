import type { Middleware } from 'koa';
import { openSourceAddress } from '../../infra/addresses/source-address.ts';

/**
 * Sets `ctx.ip`, by which limits per source address count. X-Forwarded-For counts as far as the
 * proxies in TRUSTED_PROXIES have written it. Other forwarding headers are never read, because
 * addresses of this service come from BASE_URL and PLATFORM_URL.
 */
export function sourceAddress(trustedProxies: readonly string[]): Middleware {
  const sourceOf = openSourceAddress(trustedProxies);
  return (ctx, next) => {
    ctx.request.ip = sourceOf(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For'));
    return next();
  };
}
