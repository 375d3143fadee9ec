import {
  anOauthApp,
  anOwnIntegration,
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
import { anOauthProvider, type OauthProvider } from '../connect/oauth-provider.ts';
import { read } from './page-bed.ts';

/** Attacks by a custom integration with a hostile authorization server (RFC 9700, 4.4). */
let bed: ConnectBed;
let hostile: OauthProvider;
let hostileId: string;
beforeAll(async () => {
  [bed, hostile] = await Promise.all([openConnectBed(), anOauthProvider('client-of-the-hostile-one')]);
  hostileId = await anOwnIntegration(bed, 'hostile', hostile);
  await anOauthApp(bed);
});
afterAll(() => Promise.all([bed?.close(), hostile?.close()]));

async function startConsent(integrationName: string) {
  const session = await aSession(bed, { integrationName, externalId: `account-${Math.random()}` });
  const sent = await submit(session.connectUrl, { method: 'oauth' });
  return { ...session, consentUrl: new URL(sent.headers.get('location')!), cookie: cookiesOf(sent) };
}

function hostileRedirect(from: URL, to: { url: string; client: { clientId: string } }, redirectUri: string): string {
  const asked = new URL(`${to.url}/authorize?${from.searchParams}`);
  asked.searchParams.set('client_id', to.client.clientId);
  asked.searchParams.set('redirect_uri', redirectUri);
  return asked.href;
}

async function expectRefused(token: string) {
  expect(hostile.tokenRequests).toEqual([]);
  expect(await outcomeOf(bed, token)).toMatchObject({
    status: 'FAILED',
    connectionId: null,
    error: 'The answer did not come from hostile. Nothing was connected. Start again, and tell your administrator.',
  });
}

test('a custom integration has its own redirect URI, which its OAuth app shows', async () => {
  const redirectUri = `${bed.apiUrl}/connect/callback/${hostileId}`;
  const { oauthApps } = await bed.api.must(200).get('/api/v1/oauth-apps');
  expect(oauthApps.map((app: Record<string, unknown>) => [app.integrationName, app.redirectUri])).toEqual([
    ['hostile', redirectUri],
    ['cloud', undefined],
  ]);
  expect((await startConsent('hostile')).consentUrl.searchParams.get('redirect_uri')).toBe(redirectUri);
});

test('a hostile integration gets no code from a provider with another redirect URI', async () => {
  const { token, consentUrl, cookie } = await startConsent('hostile');
  const back = await bed.provider.consent(hostileRedirect(consentUrl, bed.provider, `${bed.apiUrl}/connect/callback`));
  expect((await comeBack(back, cookie)).status).toBe(303);
  await expectRefused(token);
});

test('a code from another custom integration is not sent to the hostile integration', async () => {
  const other = await anOauthProvider('client-of-the-other-one');
  const otherId = await anOwnIntegration(bed, 'other', other);
  const { token, consentUrl, cookie } = await startConsent('hostile');
  const back = await other.consent(hostileRedirect(consentUrl, other, `${bed.apiUrl}/connect/callback/${otherId}`));
  await comeBack(back, cookie);
  await expectRefused(token);
  await other.close();
});

test('a hostile integration gets no code from a server with another issuer', async () => {
  const { token, consentUrl, cookie } = await startConsent('hostile');
  const back = new URL(await bed.provider.consent(hostileRedirect(consentUrl, bed.provider, consentUrl.searchParams.get('redirect_uri')!)));
  back.searchParams.set('iss', bed.provider.url);
  await comeBack(back.href, cookie);
  await expectRefused(token);
});

test('an error text from another server is not shown', async () => {
  const { token, consentUrl, cookie } = await startConsent('hostile');
  const back = await bed.provider.consent(hostileRedirect(consentUrl, bed.provider, `${bed.apiUrl}/connect/callback`), 'deny');
  await comeBack(back, cookie);
  await expectRefused(token);
});

describe('an authorization server', () => {
  const issuer = 'https://issuer.example/tenant';

  test.each([
    ['its issuer', issuer, 'COMPLETED'],
    ['another issuer', 'https://issuer.example/other', 'FAILED'],
    ['its issuer with a slash', `${issuer}/`, 'FAILED'],
    ['no issuer, although the server announces an issuer', undefined, 'FAILED'],
  ])('with a known issuer sends %s (iss: %s): the session becomes %s', async (what, iss, status) => {
    const named = await anOauthProvider();
    const name = `named-${what.replaceAll(/\W/g, '-')}`.slice(0, 60);
    await anOwnIntegration(bed, name, named, { issuer, namesIssuer: true });
    const { token, consentUrl, cookie } = await startConsent(name);
    const back = new URL(await named.consent(consentUrl.href));
    if (iss !== undefined) back.searchParams.set('iss', iss);
    await comeBack(back.href, cookie);
    expect(await outcomeOf(bed, token)).toMatchObject({ status });
    expect(named.tokenRequests).toHaveLength(status === 'COMPLETED' ? 1 : 0);
    await named.close();
  });

  test('without a known issuer may send any issuer on its own host', async () => {
    const { token, consentUrl, cookie } = await startConsent('cloud');
    await comeBack(`${await bed.provider.consent(consentUrl.href)}&iss=${encodeURIComponent(`${bed.provider.url}/any`)}`, cookie);
    expect(await outcomeOf(bed, token)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a custom integration', () => {
  let own: OauthProvider;
  beforeAll(async () => {
    own = await anOauthProvider();
    await anOwnIntegration(bed, 'own', own, { resource: 'https://own.example/mcp' });
  });
  afterAll(() => own?.close());

  test('is connected in a session, and every request names the resource of the integration (RFC 8707)', async () => {
    const { token, connectUrl, consentUrl, cookie } = await startConsent('own');
    expect(consentUrl.searchParams.get('resource')).toBe('https://own.example/mcp');
    const finished = await comeBack(await own.consent(consentUrl.href), cookie);
    const location = finished.headers.get('location')!;
    expect(new URL(location, `${bed.apiUrl}/connect/callback/some-id`).href).toBe(connectUrl);
    const { connectionId } = await outcomeOf(bed, token);
    expect(await credentialsOf(bed, connectionId)).toMatchObject({ type: 'OAUTH2', data: { account: 'ada@example.com' } });
    expect(own.tokenRequests.at(-1)!.get('resource')).toBe('https://own.example/mcp');
    expect((await read(connectUrl)).text).toContain('own is connected');
  });

  test('can be connected, used and disconnected in the portal', async () => {
    const { connectUrl, token } = await aPortal(bed, 'portal-person', { integrationName: 'own' });
    expect((await read(connectUrl)).text).toContain('Not connected own');
    const sent = await submit(connectUrl, { entry: 'own', method: 'oauth' });
    const finished = await comeBack(await own.consent(sent.headers.get('location')!), cookiesOf(sent));
    const location = finished.headers.get('location')!;
    expect(location).toMatch(new RegExp(`^\\.\\./portal\\?token=${token}&done=own&attempt=`));
    const portal = new URL(location, `${bed.apiUrl}/connect/callback/some-id`).href;
    expect((await read(portal)).text).toContain('own is connected now.');

    own.answerApi = ({ headers }) => ({ status: 200, body: { id: 't1', title: headers.authorization?.replace(/access-.*/, 'access') } });
    const call = { integrationName: 'own', actionName: 'get_task', workspaceId: bed.workspaceId, endUserId: 'portal-person' };
    const execute = () => bed.api.must(200).post('/api/v1/actions/execute', { ...call, input: { id: 't1' } });
    expect((await execute()).output).toEqual({ id: 't1', title: 'Bearer zq-access' });
    await bed.gateway
      .db('connections')
      .where({ integration_name: 'own' })
      .update({ expires_at: new Date(0) });
    await execute();
    expect(Object.fromEntries(own.tokenRequests.at(-1)!)).toMatchObject({
      grant_type: 'refresh_token',
      resource: 'https://own.example/mcp',
    });

    const gone = await submit(connectUrl, { entry: 'own', change: 'disconnect' });
    expect((await read(`${bed.apiUrl}/connect/${gone.headers.get('location')}`)).text).toContain('own is disconnected now.');
    expect((await bed.api.must(200).get('/api/v1/connections?endUserId=portal-person')).total).toBe(0);
  });
});
