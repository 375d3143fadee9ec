import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Eta } from 'eta';
import type { Context } from 'koa';
import { escapeHidden } from '../../../domain/redaction/visible-text.ts';

/** An HTML page: a template below `api/pages` and its data. */
export interface Page {
  status?: number;
  title: string;
  /** Path without extension, such as `approval/approval`. */
  template: string;
  data: object;
  /**
   * URLs on other origins to which a form of this page may redirect. When a form is sent, browsers
   * check each redirect against `form-action`.
   */
  formTargets?: readonly string[];
  /**
   * URL that the browser opens immediately (meta refresh). The `form-action` of the previous page
   * does not limit it.
   */
  refreshTo?: string;
  /** An inline script. The page must also work without scripts. */
  script?: string;
  /**
   * URL of a script on this origin. The script may call this origin. The page must be readable
   * without scripts.
   */
  scriptUrl?: string;
  /** CSS for only this page. */
  style?: string;
}

/** Answers with a page in the common layout, and sets the page's Content-Security-Policy. */
export function renderPage(ctx: Context, page: Page): void {
  ctx.status = page.status ?? 200;
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy(page));
  ctx.body = renderHtml(page, ICON);
}

/** The HTML of a page. `icon` is a URL. */
export function renderHtml(page: Page, icon?: string): string {
  const { title, refreshTo, script, scriptUrl } = page;
  return renderTemplate(page.template, { ...page.data, page: { title, style: styleOf(page), icon, refreshTo, script, scriptUrl } });
}

/** The HTML of a template. `template` is a path below `api/pages`, without extension. */
export function renderTemplate(template: string, data: object): string {
  return eta.render(`/${template}`, data);
}

/** Sets the headers of all hosted pages. */
export function setPageHeaders(ctx: Context): void {
  ctx.set(HEADERS);
}

const SHEETS = ['colors', 'elements', 'page', 'values', 'forms'];
const STYLE = SHEETS.map((name) => readFileSync(join(import.meta.dirname, `${name}.css`), 'utf8')).join('\n');

/** The icon of the dashboard as a data URL, so that proxies need not forward a path for it. */
const ICON = `data:image/svg+xml;base64,${readFileSync(join(import.meta.dirname, 'favicon.svg'), 'base64')}`;

function styleOf({ style = '' }: Pick<Page, 'style'>): string {
  return STYLE + style;
}

/**
 * The Content-Security-Policy of a page. Form targets are allowed by scheme, because they can
 * redirect to other hosts.
 */
export function contentSecurityPolicy(page: Pick<Page, 'formTargets' | 'script' | 'scriptUrl' | 'style'>): string {
  const { formTargets = [], script, scriptUrl } = page;
  const schemes = new Set(formTargets.map((url) => new URL(url).protocol));
  return [
    "default-src 'none'",
    `style-src ${hashSource(styleOf(page))}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    ...(scriptUrl === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    ["form-action 'self'", ...schemes].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    'img-src data:',
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
 * `<%= %>` escapes HTML and makes hidden characters visible, so that a value cannot look like
 * another value. `formValue` only escapes HTML, so that a form returns the exact value.
 */
const eta = Object.assign(
  new Eta({
    views: dirname(import.meta.dirname),
    cache: true,
    escapeFunction: (value) => escapeMarkup(escapeHidden(String(value))),
    functionHeader: 'const { formValue, inSentence } = this;',
  }),
  {
    formValue: (value: unknown) => escapeMarkup(String(value)),
    inSentence: (label: string) => label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()),
  },
);
