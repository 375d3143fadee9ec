import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

const ACCEPTABLE = /^[A-Za-z0-9._-]{8,100}$/;

/** Sets X-Request-Id on every response: the caller's id if it is valid, else a new one. */
export function requestId(): Middleware {
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = ACCEPTABLE.test(given) ? given : randomUUID();
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };
}
