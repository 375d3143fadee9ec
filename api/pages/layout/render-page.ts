import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Eta } from 'eta';
import type { Context } from 'koa';
import { escapeHidden } from '../../../domain/preview-input.ts';

/** One HTML answer: a template under `api/pages` and what it shows. */
export interface Page {
  status?: number;
  title: string;
  /** Path of the template without its ending, such as `approval/approval`. */
  template: string;
  data: object;
}

/** Answers with a page in the common layout, under the headers that every hosted page has (design: security, hosted pages). */
export function renderPage(ctx: Context, page: Page): void {
  ctx.status = page.status ?? 200;
  ctx.type = 'html';
  ctx.body = eta.render(`/${page.template}`, { ...page.data, page: { title: page.title, style: STYLE } });
}

/** The headers of every hosted page: kept nowhere, indexed nowhere, framed nowhere, and nothing runs or loads in it. */
export function setPageHeaders(ctx: Context): void {
  ctx.set(HEADERS);
}

const STYLE = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8');

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
};

const escapeMarkup = new Eta().config.escapeFunction;

/** Whatever a template shows is escaped, and holds no character that a reader can't see: a value can't pose as another one. */
const eta = new Eta({
  views: dirname(import.meta.dirname),
  cache: true,
  escapeFunction: (value) => escapeMarkup(escapeHidden(String(value))),
});
