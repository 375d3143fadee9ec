import type { Context, Middleware } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Logger } from '../../../infra/logger.ts';
import { toGatewayError } from '../../middleware/render-errors.ts';
import { problemPage } from './problem-page.ts';
import { type Page, renderPage, setPageHeaders } from './render-page.ts';

/** Hosted HTML under one path. GET and HEAD must change nothing: link scanners and mail programs fetch every address they see. */
export interface HostedPage {
  /** Everything at and below this path answers HTML, errors too. */
  prefix: string;
  get(ctx: Context): Promise<Page>;
  /** Answers a page, or where the browser shall go to see the result. */
  post(ctx: Context): Promise<Page | SeeOther>;
}

/** A redirect after a POST, relative to the address that was posted to, so that it holds behind any proxy. */
export interface SeeOther {
  seeOther: string;
}

/** Serves hosted HTML: its headers, its methods, its errors. */
export function hostedPage(logger: Logger, page: HostedPage): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== page.prefix && !ctx.path.startsWith(`${page.prefix}/`)) return next();
    setPageHeaders(ctx);
    try {
      answer(ctx, await handle(page, ctx));
    } catch (thrown) {
      renderPage(ctx, explain(ctx, logger, thrown));
    }
  };
}

function handle(page: HostedPage, ctx: Context): Promise<Page | SeeOther> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return page.get(ctx);
  if (ctx.method === 'POST') return page.post(ctx);
  ctx.set('Allow', 'GET, HEAD, POST');
  throw new GatewayError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here.`);
}

function answer(ctx: Context, result: Page | SeeOther): void {
  if ('template' in result) {
    renderPage(ctx, result);
    return;
  }
  ctx.status = 303;
  ctx.set('Location', result.seeOther);
  ctx.body = '';
}

function explain(ctx: Context, logger: Logger, thrown: unknown): Page {
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') logger.error({ requestId: ctx.state.requestId, err: thrown }, 'page failed');
  if (error.code === 'UNAVAILABLE') ctx.set('Retry-After', '1');
  return problemPage(error, ctx.state.requestId);
}
