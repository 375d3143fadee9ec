import { readMail } from '../../support/mailbox.ts';
import { submit } from '../connect/connect-bed.ts';
import {
  aClient,
  anAuthorization,
  aPerson,
  aServer,
  authorize,
  callServer,
  type OAuthBed,
  openOAuthBed,
  postForm,
  REDIRECT_URI,
  signIn,
  tokensFor,
} from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

// Attacks of RFC 9700 on whole flows.

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOAuthBed();
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed)]);
  await aPerson(bed, 'ada@example.com');
}, 120_000);
// Each e-mail address gets at most twenty codes an hour, so every test starts without codes.
beforeEach(() => bed.gateway.db('sign_in_codes').delete());
afterAll(() => bed?.close());

async function aCode(parameters: Record<string, string> = {}) {
  const { url, verifier } = anAuthorization(bed, clientId, server.mcpEndpoint, parameters);
  const code = (await authorize(bed, url, 'ada@example.com')).searchParams.get('code')!;
  return { exchange: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: clientId }, verifier };
}

describe('mix-up: a client can identify the server that sent the answer (RFC 9207)', () => {
  test('the redirects after consent, after a denial and after an error name the issuer from the metadata', async () => {
    const metadata = (await (await fetch(`${bed.apiUrl}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;
    expect(metadata.authorization_response_iss_parameter_supported).toBe(true);
    const allowed = await authorize(bed, anAuthorization(bed, clientId, server.mcpEndpoint).url, 'ada@example.com');
    const denying = aBrowser();
    await denying.open(anAuthorization(bed, (await aClient(bed)).client_id, server.mcpEndpoint).url);
    await signIn(bed, denying, 'ada@example.com');
    await denying.submit({}, 'Deny');
    const failing = aBrowser();
    await failing.open(anAuthorization(bed, clientId, server.mcpEndpoint, { prompt: 'create' }).url);
    for (const answer of [allowed, denying.leftTo!, failing.leftTo!]) expect(answer.searchParams.get('iss')).toBe(metadata.issuer);
    expect([denying, failing].map(({ leftTo }) => leftTo!.searchParams.get('error'))).toEqual(['access_denied', 'invalid_request']);
  });

  test('forwarding headers change no address that the service publishes', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.example' };
    for (const path of ['/.well-known/oauth-authorization-server', `/.well-known/oauth-protected-resource/mcp/srv_${server.id}`])
      expect(await (await fetch(bed.apiUrl + path, { headers })).text()).not.toContain('evil.example');
    const { pathname, search } = new URL(anAuthorization(bed, clientId, server.mcpEndpoint).url);
    const answer = await fetch(bed.apiUrl + pathname + search, { headers, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/oauth\/interaction\//)]);
  });
});

describe('PKCE downgrade', () => {
  test('a code with a challenge is not exchanged without a verifier', async () => {
    const { exchange } = await aCode();
    expect(await postForm(bed, '/oauth/token', exchange)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test.each([
    ['no method, which would mean plain', { code_challenge_method: undefined }],
    ['a method in another case', { code_challenge_method: 's256' }],
    ['a challenge that is too short', { code_challenge: 'short' }],
    ['an empty challenge', { code_challenge: '' }],
  ])('%s is refused', async (_, parameters) => {
    const browser = aBrowser();
    await browser.open(anAuthorization(bed, clientId, server.mcpEndpoint, parameters).url);
    expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_request');
  });

  test('a client with a secret also needs PKCE', async () => {
    const { client_id } = await aClient(bed, { token_endpoint_auth_method: 'client_secret_basic' });
    const browser = aBrowser();
    const parameters = { code_challenge: undefined, code_challenge_method: undefined };
    await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint, parameters).url);
    expect(browser.leftTo?.searchParams.get('error')).toBe('invalid_request');
  });
});

describe('audience confusion', () => {
  test('a refresh token for one server cannot get a token for another server', async () => {
    const [other, { refresh_token, client_id }] = await Promise.all([
      aServer(bed, { name: 'Other' }),
      tokensFor(bed, server, 'ada@example.com'),
    ]);
    const refresh = { grant_type: 'refresh_token', refresh_token, client_id, resource: other.mcpEndpoint };
    expect(await postForm(bed, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  test('a refresh token is refused for calls, and an access token is refused for refreshes', async () => {
    const { refresh_token, access_token, client_id } = await tokensFor(bed, server, 'ada@example.com');
    expect((await callServer(server, refresh_token)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: access_token, client_id };
    expect(await postForm(bed, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('a refresh cannot request scopes that were not granted', async () => {
    const { refresh_token, client_id } = await tokensFor(bed, server, 'ada@example.com');
    const refresh = { grant_type: 'refresh_token', refresh_token, client_id, scope: 'mcp:tools mcp:code' };
    expect(await postForm(bed, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('a token in the query or body is refused (RFC 9700 section 4.3.2)', async () => {
    const { access_token } = await tokensFor(bed, server, 'ada@example.com');
    expect((await callServer({ mcpEndpoint: `${server.mcpEndpoint}?access_token=${access_token}` }, undefined)).status).toBe(401);
    const form = await fetch(server.mcpEndpoint, { method: 'POST', body: new URLSearchParams({ access_token }) });
    expect(form.status).toBe(401);
  });
});

describe('fixation and CSRF at the sign-in', () => {
  test('the session after a sign-in differs from the session that an attacker chose', async () => {
    const attacker = aBrowser();
    await authorize(bed, anAuthorization(bed, clientId, server.mcpEndpoint).url, 'ada@example.com', attacker);
    const planted = attacker.cookie('gateway_sign_in')!;
    await attacker.post('/sign-in/out', {});
    const victim = aBrowser();
    victim.plant('gateway_sign_in', planted);
    await victim.open(`${bed.apiUrl}/account`);
    await signIn(bed, victim, 'ada@example.com');
    expect(victim.cookie('gateway_sign_in')).not.toBe(planted);
    attacker.plant('gateway_sign_in', planted);
    await attacker.open(`${bed.apiUrl}/account`);
    expect(attacker.path).toBe('/sign-in');
  });

  test("the code of an attacker's request, entered in a victim's browser, signs in nobody", async () => {
    const attacker = aBrowser();
    await attacker.open(`${bed.apiUrl}/sign-in`);
    await attacker.submit({ email: 'ada@example.com' });
    const victim = aBrowser();
    await victim.open(`${bed.apiUrl}/sign-in/code`);
    const code = /\d{6}/.exec(readMail(bed.mailbox.mails.at(-1)!.raw).text)![0];
    await victim.submit({ code });
    for (const browser of [attacker, victim]) {
      await browser.open(`${bed.apiUrl}/account`);
      expect(browser.path).toBe('/sign-in');
    }
  });

  test.each(['/sign-in', '/sign-in/code', '/sign-in/out', '/account', '/oauth/device', '/oauth/interaction/x'])(
    'a form from another site is refused at %s',
    async (path) => {
      const answer = await fetch(bed.apiUrl + path, {
        method: 'POST',
        headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', Accept: 'text/html' },
        body: new URLSearchParams({ email: 'x@example.com', user_code: 'BCDF-GHJK', decision: 'allow' }),
        redirect: 'manual',
      });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  test.each(['/sign-in', '/sign-in/code', '/account', '/oauth/device'])('%s cannot be shown in a frame', async (path) => {
    const { headers } = await fetch(bed.apiUrl + path);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

test.each<Record<string, string>>([{}, { xsrf: 'x', user_code: 'BCDF-GHJK' }, { xsrf: '', confirm: 'yes' }])(
  'the device form %j redirects to the device page if the browser has not opened that page',
  async (fields) => {
    for (const cookie of ['', 'oauth_session=forged; oauth_session.sig=forged']) {
      const init = { method: 'POST', headers: { cookie }, body: new URLSearchParams(fields), redirect: 'manual' } as const;
      const answer = await fetch(`${bed.apiUrl}/oauth/device`, init);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, 'device']);
    }
  },
);

describe('guessing of sign-in codes', () => {
  test('concurrent guesses all count: after five guesses, even the right code fails', async () => {
    const browser = aBrowser();
    await browser.open(`${bed.apiUrl}/sign-in`);
    await browser.submit({ email: 'ada@example.com' });
    const right = /\d{6}/.exec(readMail(bed.mailbox.mails.at(-1)!.raw).text)![0];
    const cookie = `gateway_sign_in_code=${browser.cookie('gateway_sign_in_code')}`;
    const guess = (code: string) =>
      fetch(`${bed.apiUrl}/sign-in/code`, { method: 'POST', headers: { cookie }, body: new URLSearchParams({ code }), redirect: 'manual' });
    const wrong = Array.from({ length: 30 }, (_, index) => String((Number(right) + 1 + index) % 10 ** 6).padStart(6, '0'));
    const answers = await Promise.all(wrong.map(guess));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.filter((text) => text.includes('That is not the code'))).toHaveLength(4);
    const last = await guess(right);
    expect([last.status, last.headers.getSetCookie().join()]).toEqual([400, expect.not.stringContaining('gateway_sign_in=')]);
  });

  test('an e-mail address gets at most twenty codes an hour, even for other browsers and source addresses', async () => {
    const ask = () =>
      fetch(`${bed.apiUrl}/sign-in`, { method: 'POST', body: new URLSearchParams({ email: 'Ada@example.com' }), redirect: 'manual' });
    const answers = await Promise.all(Array.from({ length: 30 }, ask));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(20);
    await bed.gateway.db('sign_in_codes').update({ source: '192.0.2.1' });
    expect((await ask()).status).toBe(429);
  });
});

test('a portal token of one workspace shows and connects nothing in another workspace', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Second', slug: 'second' });
  const instanceIn = async (workspaceId: string) =>
    (
      await bed.api
        .must(201)
        .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'mail', connectionStrategy: 'per_user' })
    ).integration.id;
  const [here, there] = [await instanceIn(bed.workspaceId), await instanceIn(workspace.id)];
  const eveIn = async (workspaceId: string) =>
    (await bed.api.must(201).post('/api/v1/end-users', { workspaceId, externalId: 'eve' })).endUser.id;
  const [eve] = [await eveIn(bed.workspaceId), await eveIn(workspace.id)];
  const { connectUrl } = await bed.api.must(200).post(`/api/v1/end-users/${eve}/connect-token`, {});
  const connect = (entry: string) => submit(connectUrl, { entry, method: 'token', 'field.secretText': 'zq' });
  expect((await connect(there)).status).toBe(404);
  expect(await (await fetch(`${connectUrl}&connect=${there}`)).text()).not.toContain('Connect Mail');
  expect((await connect(here)).status).toBe(303);
  const { connections } = await bed.api.must(200).get('/api/v1/connections?endUserId=eve');
  expect(connections.map(({ workspaceId }: { workspaceId: string }) => workspaceId)).toEqual([bed.workspaceId]);
});
