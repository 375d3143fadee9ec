import type { Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import type { Config } from '../../infra/config.ts';
import { assertMethod, READ_METHODS } from '../middleware/assert-method.ts';

interface HomeLinks {
  dashboard: string;
  docs: string;
  openapi: string;
  approvals: string;
  health: string;
  ready: string;
  jwks: string;
  temporalUi?: string;
}

/** `GET /`: redirects browsers to the dashboard, and sends programs links in JSON. */
export function home({ config }: Pick<Gateway, 'config'>): Middleware {
  const links = homeLinks(config);
  const dashboard = `${new URL(config.platformUrl).pathname.replace(/\/$/, '')}/app`;
  return async (ctx, next) => {
    if (ctx.path !== '/') return next();
    assertMethod(ctx, READ_METHODS);
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html') {
      ctx.status = 303;
      ctx.set({ Location: dashboard, 'Cache-Control': 'no-store' });
      ctx.body = '';
    } else {
      ctx.body = { name: 'Integration Gateway', links };
    }
  };
}

function homeLinks({ baseUrl, platformUrl, temporal }: Config): HomeLinks {
  return {
    dashboard: `${platformUrl}/app`,
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    approvals: `${baseUrl}/api/v1/approvals`,
    health: `${baseUrl}/health`,
    ready: `${baseUrl}/ready`,
    jwks: `${baseUrl}/.well-known/jwks.json`,
    ...(temporal.uiUrl && { temporalUi: temporal.uiUrl }),
  };
}
