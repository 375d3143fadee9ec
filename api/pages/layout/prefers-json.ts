import type { Context } from 'koa';

/** True if a client prefers JSON to HTML. Pages stay HTML; their errors are then JSON. */
export function prefersJson(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'json';
}
