import type { Context, Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { notFound } from '../route.ts';
import { callbackPage } from './connect/callback-page.ts';
import type { ConnectPage } from './connect/connect-page.ts';
import { portalPage } from './connect/portal-page.ts';
import { sessionPage } from './connect/session-page.ts';
import { hostedPage } from './layout/hosted-page.ts';

/**
 * The pages of hosted connect and its OAuth redirect URIs (specification 4.3, 5.8; contract
 * decisions 2).
 */
export function connectPages(gateway: Gateway): Middleware {
  const pages = new Map<string, ConnectPage>([
    ['/connect', sessionPage(gateway)],
    ['/connect/portal', portalPage(gateway)],
    ['/connect/callback', callbackPage(gateway)],
  ]);
  const pageAt = ({ path }: Context): ConnectPage => {
    const page = pages.get(path.replace(OWN_CALLBACK, ''));
    if (!page) throw notFound();
    return page;
  };
  return hostedPage(gateway.logger, {
    prefix: '/connect',
    opensAsPopup: true,
    get: (ctx) => pageAt(ctx).get(ctx),
    post: (ctx) => pageAt(ctx).post(ctx),
  });
}

const OWN_CALLBACK = /(?<=^\/connect\/callback)\/[0-9a-f-]{36}$/;
