import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { mintConnectToken } from '../../../commands/connect/issue-connect-token.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { disconnectOwn, findOwn, readAccount, revokeOwnGrant } from '../../../commands/oauth/account.ts';
import { signedIn } from '../../../commands/sign-in/signed-in.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { CONNECT_TOKEN_SECONDS } from '../../../domain/limits.ts';
import type { Identity } from '../../../domain/oauth/sign-in.ts';
import type { OAuthProviders } from '../../oauth/open-providers.ts';
import { hostedPage, type SeeOther } from '../layout/hosted-page.ts';
import { readForm } from '../layout/read-form.ts';
import type { Page } from '../layout/render-page.ts';
import { signInAddress } from '../sign-in/next-path.ts';
import { readSignInCookie } from '../sign-in/sign-in-cookies.ts';
import { presentAccount } from './present-account.ts';

/**
 * `{platform_url}/account`: the connections of an end user and the MCP clients that have access
 * (contract decisions 8).
 */
export function accountPage(gateway: Gateway, providers: OAuthProviders): Middleware {
  const signInFirst: SeeOther = { seeOther: signInAddress('sign-in', { next: '/account', requiresNewSignIn: false }) };
  return hostedPage(gateway.logger, {
    prefix: '/account',
    get: async (ctx) => {
      const identity = await signedIn(gateway, readSignInCookie(ctx));
      return identity ? showAccount(gateway, providers, ctx, identity) : signInFirst;
    },
    post: async (ctx) => {
      const form = await readForm(ctx, gateway.config);
      const identity = await signedIn(gateway, readSignInCookie(ctx));
      return identity ? change(gateway, identity, form) : signInFirst;
    },
  });
}

const DONE: Record<string, string> = {
  disconnected: 'The account is disconnected.',
  revoked: 'The client has no access any more.',
};

async function showAccount(gateway: Gateway, providers: OAuthProviders, ctx: Context, identity: Identity): Promise<Page> {
  const { provider } = await providers.current();
  const places = await readAccount(gateway, identity);
  const clientIds = [...new Set(places.flatMap(({ grants }) => grants.map(({ clientId }) => clientId)))];
  const names = new Map(await Promise.all(clientIds.map(async (id) => [id, await nameOf(provider, id)] as const)));
  const news = typeof ctx.query.done === 'string' ? DONE[ctx.query.done] : undefined;
  const presented = places.map(async (place) => {
    const integrations = place.connections.map(({ integrationName }) => integrationName);
    return presentAccount(await gateway.catalog.of(place.endUser.orgId, integrations), place, names);
  });
  const data = { email: identity.email, news, places: await Promise.all(presented) };
  return { title: 'Your account', template: 'account/account', data };
}

async function nameOf(provider: Provider, clientId: string): Promise<string> {
  const client = await provider.Client.find(clientId).catch(() => undefined);
  return client?.clientName ?? clientId;
}

async function change(gateway: Gateway, identity: Identity, form: URLSearchParams): Promise<SeeOther> {
  const id = form.get('id') ?? '';
  switch (form.get('change')) {
    case 'disconnect':
      await disconnectOwn(gateway, identity, id);
      return { seeOther: 'account?done=disconnected' };
    case 'revoke':
      await revokeOwnGrant(gateway, identity, id);
      return { seeOther: 'account?done=revoked' };
    case 'reconnect':
      return reconnect(gateway, identity, id);
    default:
      throw new GatewayError('BAD_REQUEST', 'Choose Reconnect, Disconnect or Revoke.');
  }
}

async function reconnect(gateway: Gateway, identity: Identity, connectionId: string): Promise<SeeOther> {
  const { endUser, connection } = await findOwn(gateway, identity, connectionId);
  const restriction = { integrationName: connection.integrationName, workspaceIntegrationId: null };
  const request = { endUser: { ...endUser, id: endUser.endUserId }, expiresIn: CONNECT_TOKEN_SECONDS.min };
  const { token } = await mintConnectToken(gateway, request, restriction);
  return { seeOther: `connect/portal?token=${token}` };
}
