import type { Context } from 'koa';

/**
 * Answers 304 without a body if the caller already has the current version (If-None-Match). Ignores
 * `Cache-Control` of the request, because fetch() always sends no-cache together with
 * If-None-Match.
 */
export function spareUnchanged(ctx: Context): void {
  const tag = ctx.response.get('ETag');
  if (tag === '' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return;
  const known = ctx
    .get('If-None-Match')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known[0] === '*') ctx.status = 304;
}
