import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { lazy } from '../domain/lazy.ts';
import { assertMethod, READ_METHODS } from './middleware/assert-method.ts';
import { spareUnchanged } from './middleware/spare-unchanged.ts';
import type { Route } from './route.ts';

/** GET /openapi.json: the OpenAPI 3.1 document. */
export function openApi(gateway: Gateway, routes: readonly Route[]): Middleware {
  const written = lazy(() => write(routes, gateway.config.baseUrl));
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json') return next();
    assertMethod(ctx, READ_METHODS);
    const { text, tag } = await written();
    ctx.type = 'json';
    ctx.body = text;
    ctx.set({ ETag: tag, 'Cache-Control': 'no-cache' });
    spareUnchanged(ctx);
  };
}

async function write(routes: readonly Route[], baseUrl: string): Promise<{ text: string; tag: string }> {
  const { describeRoutes } = await import('./openapi/describe-routes.ts');
  const text = JSON.stringify(describeRoutes(routes, baseUrl));
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
