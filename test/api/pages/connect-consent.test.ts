import {
  anInstance,
  anOauthApp,
  aPortal,
  aSession,
  type ConnectBed,
  comeBack,
  cookiesOf,
  credentialsOf,
  openConnectBed,
  outcomeOf,
  submit,
} from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
  await anOauthApp(bed);
});
afterAll(() => bed?.close());

async function startConsent(fields: object = {}) {
  const session = await aSession(bed, { integrationName: 'cloud', externalId: `cloud-${Math.random()}`, ...fields });
  const sent = await submit(session.connectUrl, { method: 'oauth' });
  return { ...session, sent, consentUrl: sent.headers.get('location')!, cookie: cookiesOf(sent) };
}

test('the consent request has PKCE, a state, the callback and the scopes', async () => {
  const { sent, consentUrl, token } = await startConsent();
  expect(sent.status).toBe(303);
  const { origin, pathname, searchParams } = new URL(consentUrl);
  expect(`${origin}${pathname}`).toBe(`${bed.provider.url}/authorize`);
  expect(Object.fromEntries(searchParams)).toEqual({
    tenant: 'common',
    response_type: 'code',
    client_id: bed.provider.client.clientId,
    redirect_uri: `${bed.apiUrl}/connect/callback`,
    scope: 'read write',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(consentUrl).not.toContain(token);
  expect(sent.headers.getSetCookie()[0]).toMatch(/; Path=\/connect\/callback; Max-Age=3600; HttpOnly; SameSite=Lax$/);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'CONNECTING', authMethodKey: 'oauth' });
});

test('a person can choose another method, which ends the consent request', async () => {
  const { connectUrl, token, consentUrl, cookie } = await startConsent();
  const { html } = await read(connectUrl);
  expect([...html.matchAll(/name="method" value="([^"]*)"/g)].map(([, key]) => key)).toEqual(['oauth', 'token']);
  expect((await submit(connectUrl, { method: 'token', 'field.secretText': 'zq-by-hand' })).status).toBe(303);
  const outcome = await outcomeOf(bed, token);
  expect(outcome).toMatchObject({ status: 'COMPLETED', authMethodKey: 'token' });
  expect((await comeBack(await bed.provider.consent(consentUrl), cookie)).status).toBe(404);
  expect(await credentialsOf(bed, outcome.connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: 'zq-by-hand' });
});

test('a link restricted to one method stays restricted after an attempt', async () => {
  const { connectUrl } = await startConsent({ authMethodKey: 'oauth' });
  expect((await submit(connectUrl, { method: 'token', 'field.secretText': 'x' })).status).toBe(400);
});

test('behind TLS the cookie is Secure', async () => {
  const { connectUrl } = await aSession(bed, { integrationName: 'cloud' });
  bed.gateway.config.platformUrl = 'https://gateway.example/hosted';
  const sent = await submit(connectUrl, { method: 'oauth' }).finally(() => {
    bed.gateway.config.platformUrl = bed.apiUrl;
  });
  expect(sent.headers.getSetCookie()[0]).toMatch(/; Path=\/hosted\/connect\/callback; .*; Secure$/);
  const { searchParams } = new URL(sent.headers.get('location')!);
  expect(searchParams.get('redirect_uri')).toBe('https://gateway.example/hosted/connect/callback');
});

test('the connection stores the access token, the refresh token and the lifetime', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  const finished = await comeBack(await bed.provider.consent(consentUrl), cookie);
  expect([finished.status, finished.headers.get('location')]).toEqual([303, `../connect?token=${token}`]);
  expect(new URL(finished.headers.get('location')!, `${bed.apiUrl}/connect/callback`).href).toBe(`${bed.apiUrl}/connect?token=${token}`);
  expect(finished.headers.getSetCookie()[0]).toContain('Max-Age=0');

  const outcome = await outcomeOf(bed, token);
  expect(outcome).toMatchObject({ status: 'COMPLETED', authMethodKey: 'oauth', error: null });
  expect(await credentialsOf(bed, outcome.connectionId)).toEqual({
    type: 'OAUTH2',
    accessToken: expect.stringMatching(/^zq-access-/),
    refreshToken: expect.stringMatching(/^zq-refresh-/),
    tokenType: 'Bearer',
    scope: 'read write',
    data: { account: 'ada@example.com' },
  });
  const row = await bed.gateway.db('connections').where({ id: outcome.connectionId }).first();
  expect(Math.abs(row.expires_at.getTime() - Date.now() - 7_200_000)).toBeLessThan(60_000);
  expect((await read(`${bed.apiUrl}/connect?token=${token}`)).text).toContain('Cloud is connected');
});

test('a form-encoded token response is also accepted', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  bed.provider.answerNext(200, 'access_token=zq-form&scope=&token_type=bearer', 'application/x-www-form-urlencoded; charset=utf-8');
  await comeBack(await bed.provider.consent(consentUrl), cookie);
  expect(await credentialsOf(bed, (await outcomeOf(bed, token)).connectionId)).toMatchObject({
    accessToken: 'zq-form',
    tokenType: 'bearer',
  });
});

test('people are redirected to the caller with success or with the reason', async () => {
  const redirects = { successRedirectUri: 'https://app.example/ok', errorRedirectUri: 'https://app.example/no?tab=2' };
  const allowed = await startConsent(redirects);
  const success = await comeBack(await bed.provider.consent(allowed.consentUrl), allowed.cookie);
  const { connectionId } = await outcomeOf(bed, allowed.token);
  expect(success.headers.get('location')).toBe(`https://app.example/ok?status=success&connectionId=${connectionId}`);

  const denied = await startConsent(redirects);
  const failure = await comeBack(await bed.provider.consent(denied.consentUrl, 'deny'), denied.cookie);
  expect(failure.headers.get('location')).toBe('https://app.example/no?tab=2&status=error&error=Access+to+Cloud+was+declined.');
});

test('declined consent fails the session with the reason, and sends no token request', async () => {
  const { token, connectUrl, consentUrl, cookie } = await startConsent();
  const before = bed.provider.tokenRequests.length;
  await comeBack(await bed.provider.consent(consentUrl, 'deny'), cookie);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'FAILED', connectionId: null, error: 'Access to Cloud was declined.' });
  const shown = await read(connectUrl);
  expect([shown.status, shown.text.includes('Access to Cloud was declined.'), shown.html.includes('<form')]).toEqual([410, true, false]);
  expect(bed.provider.tokenRequests.length).toBe(before);
});

test.each([
  [
    'an error',
    400,
    '{"error":"invalid_client","error_description":"Unknown application"}',
    'gave no access: invalid_client: Unknown application.',
  ],
  ['an error with status 200', 200, '{"ok":false,"error":"bad_redirect_uri"}', 'gave no access: bad_redirect_uri.'],
  ['no JSON', 502, '<h1>Bad gateway</h1>', 'gave no access: it answered 502 without a token.'],
  ['an empty token', 200, '{"access_token":""}', 'gave no access: it answered 200 without a token.'],
  ['JSON null', 200, 'null', 'gave no access: it answered 200 without a token.'],
])('%s from the third party fails the session with the reason', async (_, status, body, reason) => {
  const { token, consentUrl, cookie } = await startConsent();
  bed.provider.answerNext(status, body);
  await comeBack(await bed.provider.consent(consentUrl), cookie);
  const outcome = await outcomeOf(bed, token);
  expect([outcome.status, outcome.error]).toEqual(['FAILED', `127.0.0.1 ${reason}`]);
});

test('an error that repeats the code and the client secret reveals neither', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  const code = new URL(back).searchParams.get('code')!;
  bed.provider.answerNext(400, JSON.stringify({ error: 'invalid', error_description: `${code} and ${bed.provider.client.clientSecret}` }));
  await comeBack(back, cookie);
  const { error } = await outcomeOf(bed, token);
  expect(error).toContain('[redacted] and [redacted]');
});

test('a third party that cannot be reached fails the session', async () => {
  const { token, consentUrl, cookie } = await startConsent();
  const back = await bed.provider.consent(consentUrl);
  const { oauth2 } = bed.gateway.catalog.builtIn.get('cloud').auth!.find(({ key }) => key === 'oauth')!;
  const { tokenUrl } = oauth2!;
  oauth2!.tokenUrl = 'http://127.0.0.1:1/token';
  await comeBack(back, cookie).finally(() => {
    oauth2!.tokenUrl = tokenUrl;
  });
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'FAILED', error: '127.0.0.1 does not accept connections.' });
});

test('deleting the OAuth app during consent fails the session', async () => {
  await anOauthApp(bed, 'vault');
  const { token, consentUrl, cookie } = await startConsent({ integrationName: 'vault' });
  const { oauthApps } = await bed.api.must(200).get('/api/v1/oauth-apps');
  await bed.api
    .must(200)
    .delete(`/api/v1/oauth-apps/${oauthApps.find((app: { integrationName: string }) => app.integrationName === 'vault').id}`);
  await comeBack(await bed.provider.consent(consentUrl), cookie);
  expect(await outcomeOf(bed, token)).toMatchObject({
    status: 'FAILED',
    error: 'The OAuth app or the way to connect was removed before the third party answered.',
  });
});

test('a method without an OAuth app has no button, and the page gives the reason', async () => {
  await anOauthApp(bed, 'vault');
  const { connectUrl, token } = await aSession(bed, { integrationName: 'vault' });
  await bed.gateway.db('oauth_apps').where({ org_id: bed.orgId, integration_name: 'vault' }).delete();
  const { html, text } = await read(connectUrl);
  expect(text).toContain('must first configure an OAuth app for Vault');
  expect(html).not.toContain('<button');
  expect((await submit(connectUrl, { method: 'oauth' })).status).toBe(400);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
});

describe('through the portal', () => {
  async function begunInPortal(externalId: string) {
    const instance = await anInstance(bed, 'cloud', { alias: `cloud-${externalId}` });
    const portal = await aPortal(bed, externalId);
    const sent = await submit(portal.connectUrl, { entry: instance, method: 'oauth' });
    return { ...portal, instance, consentUrl: sent.headers.get('location')!, cookie: cookiesOf(sent) };
  }

  test('an end user consents and returns to the portal with a connected account', async () => {
    const { token, instance, consentUrl, cookie } = await begunInPortal('dora');
    const finished = await comeBack(await bed.provider.consent(consentUrl), cookie);
    const location = finished.headers.get('location')!;
    expect(location).toMatch(new RegExp(`^portal\\?token=${token}&done=${instance}&attempt=`));
    expect((await read(`${bed.apiUrl}/connect/${location}`)).text).toContain('Cloud (cloud-dora) is connected now.');
    const { connections } = await bed.api.must(200).get('/api/v1/connections?endUserId=dora');
    expect(connections).toMatchObject([{ type: 'OAUTH2', status: 'ACTIVE', scope: 'USER', endUserId: 'dora', externalId: 'cloud-dora' }]);
  });

  test('the portal reports declined consent, and the end user can try again', async () => {
    const { connectUrl, instance, consentUrl, cookie } = await begunInPortal('emil');
    const finished = await comeBack(await bed.provider.consent(consentUrl, 'deny'), cookie);
    const { text } = await read(`${bed.apiUrl}/connect/${finished.headers.get('location')}`);
    expect(text).toContain('Access to Cloud was declined.');
    expect(text).toContain('Not connected');
    expect((await submit(connectUrl, { entry: instance, method: 'oauth' })).status).toBe(303);
  });

  test("another end user's portal cannot use the callback", async () => {
    const [finn, greta] = [await begunInPortal('finn'), await begunInPortal('greta')];
    const [name] = finn.cookie.split('=');
    expect((await comeBack(await bed.provider.consent(finn.consentUrl), `${name}=${greta.token}`)).status).toBe(400);
    expect((await bed.api.must(200).get('/api/v1/connections?endUserId=greta')).total).toBe(0);
    expect((await bed.api.must(200).get('/api/v1/connections?endUserId=finn')).total).toBe(0);
  });
});
