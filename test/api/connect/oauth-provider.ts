import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEPS_IDLE } from '../../support/keeps-idle.ts';

const SITES = [
  { id: 'site-1', url: 'https://one.example', product: 'plan' },
  { id: 'site-1', url: 'https://one.example', product: 'write' },
  { id: 'site-2', url: 'https://two.example', product: 'plan' },
];

/**
 * A third party that asks for consent and issues tokens (RFC 6749). Its token endpoint checks the
 * client, the redirect URI and PKCE with S256. Codes and refresh tokens are valid once.
 */
export interface OauthProvider {
  url: string;
  client: { clientId: string; clientSecret: string };
  /** Requests received by the token endpoint. */
  tokenRequests: URLSearchParams[];
  /** The paths of the token requests. Every path that ends in `/token` is accepted. */
  tokenPaths: string[];
  /** Replaces the answer to the next token request. */
  answerNext(status: number, body: string, contentType?: string): void;
  /** Allows or denies consent. Returns the address to which the browser is redirected. */
  consent(authorizationUrl: string, decision?: 'allow' | 'deny'): Promise<string>;
  /** Answers every request below `/tasks`. */
  answerApi: (request: IncomingMessage) => { status: number; body: object };
  close(): Promise<void>;
}

/** Opens a third party that has one registered client. */
export async function anOauthProvider(clientId = 'client-7'): Promise<OauthProvider> {
  const client = { clientId, clientSecret: 'zq-client-secret-4711' };
  const codes = new Map<string, URLSearchParams>();
  const tokenRequests: URLSearchParams[] = [];
  const tokenPaths: string[] = [];
  let scripted: { status: number; body: string; contentType: string } | undefined;

  const send = (asked: URLSearchParams, decision: string | null): string => {
    const back = new URL(asked.get('redirect_uri')!);
    const code = randomUUID();
    if (decision !== 'deny') codes.set(code, asked);
    const answer = decision === 'deny' ? { error: 'access_denied', error_description: 'The user said no' } : { code };
    for (const [name, value] of Object.entries({ ...answer, state: asked.get('state')! })) back.searchParams.set(name, value);
    return back.href;
  };

  const refreshTokens = new Set<string>();
  const issue = () => {
    const refresh_token = `zq-refresh-${randomUUID()}`;
    refreshTokens.add(refresh_token);
    const tokens = { access_token: `zq-access-${randomUUID()}`, refresh_token };
    return { status: 200, body: { ...tokens, token_type: 'Bearer', expires_in: 7200, scope: 'read write', account: 'ada@example.com' } };
  };

  const refresh = (request: URLSearchParams): { status: number; body: object } => {
    const isClient = request.get('client_id') === client.clientId && request.get('client_secret') === client.clientSecret;
    return isClient && refreshTokens.delete(request.get('refresh_token') ?? '')
      ? issue()
      : { status: 400, body: { error: 'invalid_grant' } };
  };

  const giveToken = (request: URLSearchParams): { status: number; body: object } => {
    if (request.get('grant_type') === 'refresh_token') return refresh(request);
    const asked = codes.get(request.get('code') ?? '');
    codes.delete(request.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(request.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      asked?.get('code_challenge') === challenge &&
      asked.get('code_challenge_method') === 'S256' &&
      asked.get('redirect_uri') === request.get('redirect_uri') &&
      request.get('grant_type') === 'authorization_code' &&
      request.get('client_id') === client.clientId &&
      request.get('client_secret') === client.clientSecret;
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    return issue();
  };

  const server = createServer(KEEPS_IDLE, async (request, response) => {
    const url = new URL(request.url!, 'http://provider');
    if (url.pathname === '/sites') {
      const isKnown = request.headers.authorization?.startsWith('Key zq-access-');
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(SITES));
    } else if (url.pathname.startsWith('/tasks/')) {
      const { status, body } = provider.answerApi(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } else if (url.pathname.endsWith('/token')) {
      tokenPaths.push(url.pathname);
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      tokenRequests.push(new URLSearchParams(body));
      const given = scripted ?? { ...giveToken(new URLSearchParams(body)), contentType: 'application/json' };
      scripted = undefined;
      const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      response.writeHead(given.status, { 'content-type': given.contentType }).end(text);
    } else if (url.searchParams.has('decision')) {
      response.writeHead(302, { location: send(url.searchParams, url.searchParams.get('decision')) }).end();
    } else {
      const link = (decision: string) => `<a href="?${url.searchParams}&decision=${decision}">${decision}</a>`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Consent</h1>${link('allow')} ${link('deny')}`);
    }
  });
  server.unref().on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider: OauthProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    client,
    answerApi: () => ({ status: 404, body: {} }),
    tokenRequests,
    tokenPaths,
    answerNext: (status, body, contentType = 'application/json') => {
      scripted = { status, body, contentType };
    },
    consent: async (authorizationUrl, decision = 'allow') => send(new URL(authorizationUrl).searchParams, decision),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}
