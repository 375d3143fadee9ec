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
  /** Addresses elsewhere that a form of this page may lead to; browsers hold every redirect after a form against the policy. */
  leadsTo?: readonly string[];
  /** A script that spares people a click; the page works without it. */
  script?: string;
  /** Address, on this origin, of a script that may call this origin; the page can be read without it. */
  scriptUrl?: string;
  /** CSS for this page alone. */
  style?: string;
}

/** Answers with a page in the common layout, under the headers that every hosted page has (design: security, hosted pages). */
export function renderPage(ctx: Context, page: Page): void {
  ctx.status = page.status ?? 200;
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy(page));
  ctx.body = renderHtml(page);
}

/** A page as text, in the common layout. */
export function renderHtml(page: Page): string {
  const { title, script, scriptUrl } = page;
  return eta.render(`/${page.template}`, { ...page.data, page: { title, style: styleOf(page), script, scriptUrl } });
}

/** The headers of every hosted page: kept nowhere, indexed nowhere, framed nowhere, and nothing loads in it. */
export function setPageHeaders(ctx: Context): void {
  ctx.set(HEADERS);
}

const STYLE = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8');

function styleOf({ style = '' }: Pick<Page, 'style'>): string {
  return STYLE + style;
}

/** What a page may load and where it may lead. Where somebody is sent may send on within its scheme, so only the scheme is held against a form. */
export function contentSecurityPolicy(page: Pick<Page, 'leadsTo' | 'script' | 'scriptUrl' | 'style'>): string {
  const { leadsTo = [], script, scriptUrl } = page;
  const schemes = new Set(leadsTo.map((url) => new URL(url).protocol));
  return [
    "default-src 'none'",
    `style-src ${hashSource(styleOf(page))}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    ...(scriptUrl === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    ["form-action 'self'", ...schemes].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': contentSecurityPolicy({}),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
};

const escapeMarkup = new Eta().config.escapeFunction;

/**
 * Whatever a template shows is escaped, and holds no character that a reader can't see: a value can't pose as another one. What a form sends
 * back is to arrive as it was: templates write it with `formValue`.
 */
const eta = Object.assign(
  new Eta({
    views: dirname(import.meta.dirname),
    cache: true,
    escapeFunction: (value) => escapeMarkup(escapeHidden(String(value))),
    functionHeader: 'const { formValue } = this;',
  }),
  { formValue: (value: unknown) => escapeMarkup(String(value)) },
);
