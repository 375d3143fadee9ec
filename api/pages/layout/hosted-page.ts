import type { Context, Middleware } from 'koa';
import { GatewayError } from '../../../domain/errors.ts';
import type { Logger } from '../../../infra/logger.ts';
import { errorBody, toGatewayError } from '../../middleware/render-errors.ts';
import { prefersJson } from './prefers-json.ts';
import { problemPage } from './problem-page.ts';
import { type Page, renderPage, setPageHeaders } from './render-page.ts';

/**
 * A hosted page, or several below one path. GET and HEAD must change nothing, because link scanners
 * and mail programs fetch every URL.
 */
export interface HostedPage {
  /** All paths below this path belong to the page. */
  prefix: string;
  get(ctx: Context): Promise<Page | SeeOther>;
  post(ctx: Context): Promise<Page | SeeOther>;
  /** Whether pages of other origins may open the page as a popup and get messages from it. */
  opensAsPopup?: boolean;
}

/** A redirect. URLs of this service are relative, so that they work behind any proxy. */
export interface SeeOther {
  seeOther: string;
}

/** Serves a hosted page. */
export function hostedPage(logger: Logger, page: HostedPage): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== page.prefix && !ctx.path.startsWith(`${page.prefix}/`)) return next();
    setPageHeaders(ctx);
    // A single answer without this header would cut a popup from its opener.
    if (page.opensAsPopup) ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none');
    try {
      answer(ctx, await handle(page, ctx));
    } catch (thrown) {
      renderError(ctx, logger, thrown);
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

/** Answers an error as a page, or as JSON to a client that prefers it. */
export function renderError(ctx: Context, logger: Logger, thrown: unknown): void {
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') logger.error({ requestId: ctx.state.requestId, err: thrown }, 'page failed');
  if (error.code === 'UNAVAILABLE') ctx.set('Retry-After', '1');
  if (prefersJson(ctx)) {
    ctx.status = error.status;
    ctx.body = errorBody(error);
  } else {
    renderPage(ctx, problemPage(error, ctx.state.requestId));
  }
}
