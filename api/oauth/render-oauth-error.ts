import type { Context } from 'koa';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { prefersJson } from '../pages/layout/prefers-json.ts';
import { renderPage, setPageHeaders } from '../pages/layout/render-page.ts';

/**
 * Renders an authorization error that must not be redirected to the client: HTML for browsers, JSON
 * for programs.
 */
export function renderOAuthError(contextOfProvider: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const ctx = contextOfProvider as unknown as Context;
  if (prefersJson(ctx)) {
    ctx.body = { error, ...(description && { error_description: description }) };
    return;
  }
  setPageHeaders(ctx);
  const title = 'This request is not right';
  const advice =
    'Nothing was allowed. Go back to your MCP client and start again; if this page appears again, send its text to the maker of the client.';
  const sentence = [error, description].filter(Boolean).join(': ');
  renderPage(ctx, { status: ctx.status, title, template: 'layout/problem', data: { title, sentence, advice } });
}
