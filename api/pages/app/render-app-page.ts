import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Outage } from '../../../commands/news/watch-health.ts';
import type { Workspace } from '../../../domain/workspace.ts';
import { acceptedEncoding } from '../../compress-answer.ts';
import { renderTemplate, setPageHeaders } from '../layout/render-page.ts';
import { assets } from './assets.ts';
import type { FoundScreen } from './find-screen.ts';
import { navigationOf, settingsOf } from './navigation.ts';
import type { AppPage, Screen, Visit } from './screen.ts';

/** The frame of a page of a signed-in member. */
export interface Frame {
  visit: Visit;
  screen: FoundScreen<Screen>['screen'] | undefined;
  workspaces: Pick<Workspace, 'id' | 'name'>[];
  /** Whether the banner leaves out workspaces. */
  hasMore: boolean;
  /** Approvals that wait for the member (`countWaitingOf`). */
  waiting: number;
  /** The position of the last news that the page contains (`GET /app/events`). */
  position: string;
}

const OUTAGES: Record<Outage, string> = {
  temporal: 'Temporal is not reachable. Decisions are kept and arrive later. Programs cannot start.',
  worker: 'No worker runs. Webhooks and code runs wait for a worker.',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Sets the headers of every answer below /app. */
export function setAppHeaders(ctx: Context): void {
  setPageHeaders(ctx);
  // With `no-referrer`, browsers would send the header `Origin: null` with forms.
  ctx.set({ 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'same-origin' });
}

/**
 * Answers with a page of the dashboard. A page with a secret is not compressed. `notice` says what
 * was done on the previous page.
 */
export async function renderAppPage(ctx: Context, root: string, page: AppPage, frame?: Frame, notice?: string): Promise<void> {
  const { pathOf } = await assets();
  const files = { style: root + pathOf('app.css'), script: root + pathOf('app.js'), icon: root + pathOf('favicon.svg') };
  const app = { title: page.title, files, notice: page.done ?? notice, ...(frame && describeFrame(ctx, frame)) };
  const html = renderTemplate(`app/${page.template}`, { ...page.data, root, app });
  ctx.status = page.status ?? 200;
  ctx.type = 'html';
  if (page.refreshTo !== undefined) ctx.set('Refresh', `0; url=${page.refreshTo}`);
  ctx.vary('Accept-Encoding');
  ctx.body = page.hasSecret ? html : await compressed(ctx, html);
}

function describeFrame(ctx: Context, { visit, screen, workspaces, hasMore, waiting, position }: Frame) {
  const { member, workspaceId, query, root, outage } = visit;
  const path = ctx.path.slice('/app'.length) || '/';
  const kept = [...query].filter(([name]) => name !== 'workspace' && name !== 'page');
  return {
    ...{ member, position, workspaceId, workspaces, hasMore, kept, action: root + (path === '/' ? '' : path) },
    outage: outage && OUTAGES[outage],
    navigation: navigationOf(visit, screen, path, waiting),
    settings: screen?.settings === undefined ? [] : settingsOf(visit, path),
  };
}

async function compressed(ctx: Context, html: string): Promise<string | Buffer> {
  const encoding = acceptedEncoding(ctx);
  if (!encoding) return html;
  ctx.set('Content-Encoding', encoding);
  if (encoding === 'br') return promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  return promisify(gzip)(html);
}
