import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from '../../../standalone/free-port.ts';
import { KEEPS_IDLE } from '../../support/keeps-idle.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

/** A person with an account at the provider. */
export interface Somebody {
  sub: string;
  email?: string;
  email_verified?: unknown;
  /** The time of the person's sign-in at the provider, in seconds since 1970. Default: now. */
  signedInAt?: number;
}

/** An external OpenID provider, where people sign in without a form. */
export interface OpenIdProviderBed {
  issuer: string;
  client: { id: string; secret: string };
  /** Environment variables with which a service uses this provider. */
  env: Record<string, string>;
  /** The authorization requests that the provider has received. */
  requests: URLSearchParams[];
  /**
   * Opens the provider's sign-in URL as this person. Returns the URL to which the provider
   * redirects. `browser` keeps the provider's session.
   */
  answerOf(signInUrl: string, person: Somebody | 'deny', browser?: PlainBrowser): Promise<URL>;
  /** Sets the person who signs in to the provider from now on. */
  sitDown(person: Somebody | 'deny'): void;
  /** Sets a function that changes the provider's token answers from now on. */
  tamper(change: ((body: Record<string, unknown>) => Record<string, unknown>) | undefined): void;
  close(): Promise<void>;
}

/**
 * Opens an OpenID provider for a service with this redirect URI. With `tellsTime`, ID tokens always
 * contain the time of the sign-in.
 */
export async function anOpenIdProvider(redirectUri: string, { tellsTime = false } = {}): Promise<OpenIdProviderBed> {
  const issuer = `http://127.0.0.1:${await freePort(0)}`;
  const client = { id: 'gateway', secret: 'zq-openid-client-secret-0815' };
  const people = new Map<string, Somebody>();
  const requests: URLSearchParams[] = [];
  let present: Somebody | 'deny';
  let change: Parameters<OpenIdProviderBed['tamper']>[0];

  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri], require_auth_time: tellsTime }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['cookies of the outside world'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx, { uid }) => `/person/${uid}` },
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ ...people.get(accountId)!, sub: accountId }) }),
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/token' && change) ctx.body = change(ctx.body as Record<string, unknown>);
  });
  const handle = provider.callback();

  async function act(...[request, response]: Parameters<typeof handle>): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (present === 'deny') return provider.interactionFinished(request, response, { error: 'access_denied' });
    people.set(present.sub, present);
    if (prompt.name === 'login') {
      const { sub: accountId, signedInAt: ts } = present;
      return provider.interactionFinished(request, response, { login: { accountId, ...(ts !== undefined && { ts }) } });
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params.client_id) });
    grant.addOIDCScope('openid email');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  const server = createServer(KEEPS_IDLE, (request, response) => {
    const url = new URL(request.url!, issuer);
    if (url.pathname === '/auth') requests.push(url.searchParams);
    (url.pathname.startsWith('/person/') ? act(request, response) : handle(request, response)).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.unref().on('connection', (socket) => socket.unref());
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ issuer, client, requests },
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    answerOf: async (signInUrl, person, browser = aBrowser()) => {
      present = person;
      await browser.open(signInUrl);
      if (!browser.leftTo) throw new Error(`still at ${browser.url}: ${browser.html}`);
      return browser.leftTo;
    },
    sitDown: (person) => {
      present = person;
    },
    tamper: (by) => {
      change = by;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
