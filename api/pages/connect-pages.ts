import type { Context, Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { notFound } from '../route.ts';
import { callbackPage } from './connect/callback-page.ts';
import { portalPage } from './connect/portal-page.ts';
import { sessionPage } from './connect/session-page.ts';
import { type HostedPage, hostedPage } from './layout/hosted-page.ts';

/** One address below `/connect`. */
export type ConnectPage = Pick<HostedPage, 'get' | 'post'>;

/**
 * Hosted connect (specification 4.3, 5.8; decisions section 2): `/connect?token=cst_…` links one account, `/connect/portal?token=eut_…`
 * lets an end user look after theirs, `/connect/callback` is where third parties send people back to.
 */
export function connectPages(gateway: Gateway): Middleware {
  const pages = new Map<string, ConnectPage>([
    ['/connect', sessionPage(gateway)],
    ['/connect/portal', portalPage(gateway)],
    ['/connect/callback', callbackPage(gateway)],
  ]);
  const pageAt = ({ path }: Context): ConnectPage => {
    const page = pages.get(path);
    if (!page) throw notFound();
    return page;
  };
  return hostedPage(gateway.logger, { prefix: '/connect', get: (ctx) => pageAt(ctx).get(ctx), post: (ctx) => pageAt(ctx).post(ctx) });
}
