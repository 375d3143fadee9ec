import type { Context } from 'koa';

/**
 * Makes an answer 304 without a body when the caller has it already (If-None-Match). `Cache-Control` of the request does not count here:
 * fetch() always sends no-cache beside a tag, and no cache stands between that could be meant.
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
