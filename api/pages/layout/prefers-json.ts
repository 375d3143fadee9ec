import type { Context } from 'koa';

/** True if a client prefers JSON to HTML. Such a client gets errors of pages as JSON. */
export function prefersJson(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'json';
}
