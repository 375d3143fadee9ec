import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Gateway } from '../commands/gateway.ts';
import { GatewayError } from '../domain/errors.ts';
import { keepSuccess } from '../domain/keep-success.ts';
import { spareUnchanged } from './middleware/spare-unchanged.ts';
import type { Route } from './route.ts';

/** GET /openapi.json: the interface as OpenAPI 3.1, made from the very schemas that validate when it is first asked for. */
export function openApi(gateway: Gateway, routes: readonly Route[]): Middleware {
  const written = keepSuccess(() => write(routes, gateway.config.baseUrl));
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
    }
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
