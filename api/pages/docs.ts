import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { lazy } from '../../domain/lazy.ts';
import { assertMethod, READ_METHODS } from '../middleware/assert-method.ts';
import { spareUnchanged } from '../middleware/spare-unchanged.ts';
import type { Route } from '../route.ts';
import { contentSecurityPolicy, type Page, renderHtml, setPageHeaders } from './layout/render-page.ts';

/** `/docs`: the API reference for people. */
export function docs(gateway: Gateway, routes: readonly Route[]): Middleware {
  const page = lazy(() => makePage(gateway, routes));
  let script: Served | undefined;
  return async (ctx, next) => {
    if (!PATHS.includes(ctx.path)) return next();
    assertMethod(ctx, READ_METHODS);
    if (ctx.path === SCRIPT_PATH) {
      script ??= served('js', readFileSync(join(import.meta.dirname, 'docs', 'try.js'), 'utf8'));
      answer(ctx, script);
    } else {
      answer(ctx, await page());
    }
  };
}

const SCRIPT_PATH = '/docs/try.js';
const PATHS = ['/docs', '/docs/', SCRIPT_PATH];

interface Served {
  type: string;
  text: string;
  tag: string;
  policy?: string;
}

function served(type: string, text: string): Served {
  return { type, text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

async function makePage(gateway: Gateway, routes: readonly Route[]): Promise<Served> {
  const [{ describeRoutes }, { presentDocs }] = await Promise.all([
    import('../openapi/describe-routes.ts'),
    import('./docs/present-docs.ts'),
  ]);
  const view = presentDocs(describeRoutes(routes, gateway.config.baseUrl));
  const page: Page = {
    title: 'API reference',
    template: 'docs/docs',
    data: { docs: view },
    style: readFileSync(join(import.meta.dirname, 'docs', 'docs.css'), 'utf8'),
    scriptUrl: SCRIPT_PATH,
  };
  return { ...served('html', renderHtml(page)), policy: contentSecurityPolicy(page) };
}

function answer(ctx: Context, { type, text, tag, policy }: Served): void {
  setPageHeaders(ctx);
  ctx.set({ 'Cache-Control': 'no-cache', ETag: tag, ...(policy && { 'Content-Security-Policy': policy }) });
  ctx.status = 200;
  ctx.type = type;
  ctx.body = text;
  spareUnchanged(ctx);
}
