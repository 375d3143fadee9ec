import type { Middleware } from 'koa';
import { GatewayError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import { hasLoopId, LOOP_HEADER } from '../../infra/outbound-loop.ts';
import { ownLoopId } from '../../infra/service-outbound.ts';

/**
 * Refuses requests that this service sent to itself, except downloads of stored files. Throws
 * ORIGIN_NOT_ALLOWED.
 */
export function refuseOwnRequests({ tokenPepper }: Pick<Config, 'tokenPepper'>): Middleware {
  const ownId = ownLoopId(tokenPepper);
  return (ctx, next) => {
    const isOwn = hasLoopId(ctx.get(LOOP_HEADER), ownId);
    if (isOwn && !ctx.path.startsWith('/files/'))
      throw new GatewayError('ORIGIN_NOT_ALLOWED', 'This service sent the request to itself, which is not allowed.');
    return next();
  };
}
