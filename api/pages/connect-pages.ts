import type { Context, Middleware } from 'koa';
import type { Gateway } from '../../commands/gateway.ts';
import { notFound } from '../route.ts';
import { callbackPage } from './connect/callback-page.ts';
import type { ConnectPage } from './connect/connect-page.ts';
import { portalPage } from './connect/portal-page.ts';
import { sessionPage } from './connect/session-page.ts';
import { hostedPage } from './layout/hosted-page.ts';

/**
 * Hosted connect (specification 4.3, 5.8; contract decisions 2). `/connect?token=cst_…` connects
 * one account. `/connect/portal?token=eut_…` lists the accounts of an end user.
 * `/connect/callback` and `/connect/callback/<id of a custom integration>` are the OAuth redirect
 * URIs. A popup posts the result to the page that opened it.
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

/** The id of a custom integration, at the end of its redirect URI. */
const OWN_CALLBACK = /(?<=^\/connect\/callback)\/[0-9a-f-]{36}$/;
