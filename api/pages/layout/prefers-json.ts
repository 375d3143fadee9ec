import type { Context } from 'koa';

/** Whether a client prefers JSON to HTML. */
export function prefersJson(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'json';
}
