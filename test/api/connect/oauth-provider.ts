import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEPS_IDLE } from '../../support/keeps-idle.ts';

/** A third party that asks for consent and gives out tokens, strictly by the book. */
export interface OauthProvider {
  url: string;
  client: { clientId: string; clientSecret: string };
  /** What it was asked for at its token address. */
  tokenRequests: URLSearchParams[];
  /** Answers the next token request with this instead. */
  answerNext(status: number, body: string, contentType?: string): void;
  /** Agrees or declines as the owner of the account would; answers where it sends the browser. */
  consent(authorizationUrl: string, decision?: 'allow' | 'deny'): Promise<string>;
  close(): Promise<void>;
}

export async function anOauthProvider(): Promise<OauthProvider> {
  const client = { clientId: 'client-7', clientSecret: 'zq-client-secret-4711' };
  const codes = new Map<string, URLSearchParams>();
  const tokenRequests: URLSearchParams[] = [];
  let scripted: { status: number; body: string; contentType: string } | undefined;

  const send = (asked: URLSearchParams, decision: string | null): string => {
    const back = new URL(asked.get('redirect_uri')!);
    const code = randomUUID();
    if (decision !== 'deny') codes.set(code, asked);
    const answer = decision === 'deny' ? { error: 'access_denied', error_description: 'The user said no' } : { code };
    for (const [name, value] of Object.entries({ ...answer, state: asked.get('state')! })) back.searchParams.set(name, value);
    return back.href;
  };

  const giveToken = (request: URLSearchParams): { status: number; body: object } => {
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
    const tokens = { access_token: `zq-access-${randomUUID()}`, refresh_token: `zq-refresh-${randomUUID()}` };
    return { status: 200, body: { ...tokens, token_type: 'Bearer', expires_in: 7200, scope: 'read write', account: 'ada@example.com' } };
  };

  const server = createServer(KEEPS_IDLE, async (request, response) => {
    const url = new URL(request.url!, 'http://provider');
    if (url.pathname === '/token') {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    client,
    tokenRequests,
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
}
