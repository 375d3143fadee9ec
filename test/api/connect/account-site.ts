import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { KEEPS_IDLE } from '../../support/keeps-idle.ts';

/**
 * A third party with sign-in, consent, and an API that accepts the issued tokens. Checks the
 * client, the exact redirect URI and PKCE with S256. Codes and refresh tokens are valid once.
 */
export interface AccountSite {
  url: string;
  client: { clientId: string; clientSecret: string };
  person: { email: string; password: string };
  redirectUris: Set<string>;
  /** Titles of the tasks that were created through the API. */
  tasks: string[];
  /** The number of granted refreshes. */
  refreshed: number;
  /** Revokes every access token. Refresh tokens stay valid. */
  endAccess(): void;
  close(): Promise<void>;
}

const CLIENT = { clientId: 'gateway-at-tasks', clientSecret: 'zq-tasks-secret' };
const PERSON = { email: 'ada@tasks.example', password: 'correct horse' };
const SESSION = 'site_session=ada';

type Form = (request: URLSearchParams) => { status: number; body: object };

export async function anAccountSite(): Promise<AccountSite> {
  const codes = new Map<string, URLSearchParams>();
  const [access, refresh] = [new Set<string>(), new Set<string>()];
  const site: AccountSite = {
    ...{ url: '', client: CLIENT, person: PERSON, redirectUris: new Set(), tasks: [], refreshed: 0 },
    endAccess: () => access.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  const problemOf = (asked: URLSearchParams): string | undefined => {
    if (asked.get('client_id') !== CLIENT.clientId) return 'unknown client';
    if (!site.redirectUris.has(asked.get('redirect_uri') ?? '')) return 'unknown redirect URI';
    if (asked.get('response_type') !== 'code' || asked.get('code_challenge_method') !== 'S256') return 'no PKCE';
    return /^[\w-]{43}$/.test(asked.get('code_challenge') ?? '') && asked.get('state') ? undefined : 'no challenge or no state';
  };

  const answerConsent = (asked: URLSearchParams, decision: string | null): string => {
    const back = new URL(asked.get('redirect_uri')!);
    const code = randomUUID();
    if (decision === 'allow') codes.set(code, asked);
    const answer: Record<string, string> = decision === 'allow' ? { code } : { error: 'access_denied' };
    for (const [name, value] of Object.entries({ ...answer, state: asked.get('state')!, iss: site.url }))
      back.searchParams.set(name, value);
    return back.href;
  };

  const grant: Form = (request) => {
    const isClient = request.get('client_id') === CLIENT.clientId && request.get('client_secret') === CLIENT.clientSecret;
    if (!isClient) return { status: 401, body: { error: 'invalid_client' } };
    const isRefresh = request.get('grant_type') === 'refresh_token';
    const isRight = isRefresh ? refresh.delete(request.get('refresh_token') ?? '') : redeem(request);
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    if (isRefresh) site.refreshed++;
    const [access_token, refresh_token] = [`zq-access-${randomUUID()}`, `zq-refresh-${randomUUID()}`];
    access.add(access_token);
    refresh.add(refresh_token);
    return { status: 200, body: { access_token, refresh_token, token_type: 'Bearer', expires_in: 3600, scope: 'tasks' } };
  };
  const redeem = (request: URLSearchParams): boolean => {
    const asked = codes.get(request.get('code') ?? '');
    codes.delete(request.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(request.get('code_verifier') ?? '')
      .digest('base64url');
    return asked?.get('code_challenge') === challenge && asked.get('redirect_uri') === request.get('redirect_uri');
  };

  const server = createServer(KEEPS_IDLE, async (request, response) => {
    const url = new URL(request.url!, 'http://site');
    const body = await text(request);
    const form = new URLSearchParams(body);
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /authorize': {
        const problem = problemOf(url.searchParams);
        if (problem) return show(response, 400, `<h1>Tasks</h1><p>${problem}</p>`);
        return show(response, 200, request.headers.cookie?.includes(SESSION) ? consentForm(url.search) : signInForm(url.search));
      }
      case 'POST /sign-in': {
        const isRight = form.get('email') === PERSON.email && form.get('password') === PERSON.password;
        if (!isRight) return show(response, 403, `<p role="alert">Wrong password.</p>${signInForm(url.search)}`);
        return go(response, `/authorize${url.search}`, { 'Set-Cookie': `${SESSION}; HttpOnly; SameSite=Lax` });
      }
      case 'POST /consent':
        if (!request.headers.cookie?.includes(SESSION)) return show(response, 403, 'Sign in first.');
        return go(response, answerConsent(url.searchParams, form.get('decision')));
      case 'POST /token': {
        const given = grant(form);
        return json(given.status, given.body);
      }
      case 'POST /tasks': {
        if (!access.has(bearerOf(request))) return json(401, { error: 'token expired' });
        site.tasks.push(JSON.parse(body).title);
        return json(201, { id: `t${site.tasks.length}`, title: site.tasks.at(-1) });
      }
      default:
        return json(404, { error: 'not found' });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return site;
}

const bearerOf = ({ headers }: IncomingMessage) => headers.authorization?.replace(/^Bearer /, '') ?? '';

function go(response: ServerResponse, location: string, headers: Record<string, string> = {}): void {
  response.writeHead(303, { Location: location, ...headers }).end();
}

function show(response: ServerResponse, status: number, html: string): void {
  const head = '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Tasks</title>';
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`${head}<main>${html}</main>`);
}

const signInForm = (query: string) => `<h1>Sign in to Tasks</h1><form method="post" action="/sign-in${query.replaceAll('"', '')}">
<label>E-mail <input name="email"></label> <label>Password <input name="password" type="password"></label> <button>Sign in</button></form>`;

const consentForm = (query: string) => `<h1>Allow the gateway to use your tasks?</h1>
<form method="post" action="/consent${query.replaceAll('"', '')}">
<button name="decision" value="allow">Agree</button> <button name="decision" value="deny">Refuse</button></form>`;
