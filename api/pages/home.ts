import type { Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import type { Config } from '../../infra/config.ts';
import { assertMethod, READ_METHODS } from '../middleware/assert-method.ts';
import { renderPage, setPageHeaders } from './layout/render-page.ts';

/** URLs of the service, as `GET /` answers them to programs. */
interface HomeLinks {
  docs: string;
  openapi: string;
  approvals: string;
  health: string;
  ready: string;
  jwks: string;
  /** Absent if the address of the Temporal UI is not configured. */
  temporalUi?: string;
}

/** `GET /`: a page of links for people, JSON links for programs. Needs no key, reveals no state. */
export function home({ config }: Pick<Gateway, 'config'>): Middleware {
  const links = homeLinks(config);
  return async (ctx, next) => {
    if (ctx.path !== '/') return next();
    assertMethod(ctx, READ_METHODS);
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html') {
      setPageHeaders(ctx);
      renderPage(ctx, { title: 'Start', template: 'home/home', data: { links } });
    } else {
      ctx.body = { name: 'Integration Gateway', links };
    }
  };
}

function homeLinks({ baseUrl, temporal }: Config): HomeLinks {
  return {
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    approvals: `${baseUrl}/api/v1/approvals`,
    health: `${baseUrl}/health`,
    ready: `${baseUrl}/ready`,
    jwks: `${baseUrl}/.well-known/jwks.json`,
    ...(temporal.uiUrl && { temporalUi: temporal.uiUrl }),
  };
}
