import { readConfig } from '../../../infra/config.ts';
import { aClient, anAuthorization, aPerson, aServer, callServer, openOAuthBed, postForm, REDIRECT_URI } from './oauth-bed.ts';
import { ADA, type OpenIdBed, openOpenIdBed } from './openid-bed.ts';
import { aBrowser } from './plain-browser.ts';

let bed: OpenIdBed;
let provider: OpenIdBed['provider'];
let signInAs: OpenIdBed['signInAs'];
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOpenIdBed();
  ({ provider, signInAs } = bed);
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed)]);
}, 120_000);
afterAll(() => bed?.close());

test('a person signs in at the provider, and the verified address leads to their account', async () => {
  const browser = await signInAs(ADA);
  expect(browser.path).toBe('/account');
  expect(browser.html).toContain('ada@example.com');
  const row = await bed.gateway.db('identities').where({ subject: 'ada-1' }).first();
  expect(row).toMatchObject({ issuer: provider.issuer, email: 'ada@example.com' });
});

test('each request has a new PKCE challenge, state and nonce', async () => {
  const [first, second] = [new URL(await bed.begin(aBrowser())).searchParams, new URL(await bed.begin(aBrowser())).searchParams];
  expect(Object.fromEntries(first)).toEqual({
    ...{ response_type: 'code', client_id: provider.client.id, scope: 'openid email', code_challenge_method: 'S256' },
    ...{ redirect_uri: `${bed.apiUrl}/sign-in/openid/callback` },
    ...{ state: expect.any(String), nonce: expect.any(String), code_challenge: expect.any(String) },
  });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(first.get(name)!.length).toBeGreaterThanOrEqual(43);
    expect(first.get(name)).not.toBe(second.get(name));
  }
});

test('an MCP client gets a token for the end user with the person’s address', async () => {
  const { id } = await aPerson(bed, 'ada@example.com');
  const { url, verifier } = anAuthorization(bed, clientId, server.mcpEndpoint);
  const browser = await signInAs(ADA, url);
  expect(browser.html).toContain('Helpdesk');
  await browser.submit({}, 'Allow');
  const code = browser.leftTo!.searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: clientId, code_verifier: verifier };
  const { body } = await postForm(bed, '/oauth/token', exchange);
  expect((await callServer(server, body.access_token)).status).toBe(200);
  expect(await bed.gateway.db('mcp_tokens').where({ client_id: clientId }).first()).toMatchObject({ end_user_id: id });
  // The end user stays linked to the provider's account when the account's address changes.
  const renamed = await signInAs({ ...ADA, email: 'new-name@example.com' }, anAuthorization(bed, clientId, server.mcpEndpoint).url);
  expect(renamed.leftTo?.searchParams.get('code')).toEqual(expect.any(String));
});

test('only an open server accepts an unknown person, as a new end user', async () => {
  const stranger = { sub: 'zoe', email: 'zoe@example.com', email_verified: true };
  const refused = await signInAs(stranger, anAuthorization(bed, clientId, server.mcpEndpoint).url);
  expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('No access')]);
  const open = await aServer(bed, { name: 'Open', endUserAccess: 'open' });
  const browser = await signInAs(stranger, anAuthorization(bed, clientId, open.mcpEndpoint).url);
  await browser.submit({}, 'Allow');
  const { endUsers } = await bed.api.must(200).get(`/api/v1/end-users?workspaceId=${bed.workspaceId}&limit=100`);
  expect(endUsers.filter(({ email }: { email: string }) => email === 'zoe@example.com')).toHaveLength(1);
});

test.each([
  ['is not verified', { sub: 'mal-1', email: 'ada@example.com', email_verified: false }],
  ['has no verification state', { sub: 'mal-2', email: 'ada@example.com' }],
  ['is missing', { sub: 'mal-3', email_verified: true }],
  ['is malformed', { sub: 'mal-4', email: 'a@example.com\r\nBcc: b@example.com', email_verified: true }],
])('a person cannot sign in with an address that %s', async (_, person) => {
  const browser = await signInAs(person);
  expect([browser.status, browser.html]).toEqual([403, expect.stringContaining('has not verified your e-mail address')]);
  expect(await bed.gateway.db('identities').where({ subject: person.sub })).toEqual([]);
});

test('a person who declines returns to the sign-in page and can choose another way', async () => {
  const browser = await signInAs('deny');
  expect([browser.status, browser.html]).toEqual([403, expect.stringContaining('ended the sign-in')]);
  expect(browser.html).toContain('Send code');
});

describe('prompt=login', () => {
  test('requires a new sign-in at the provider, even if the provider still has a session', async () => {
    await aPerson(bed, 'bea@example.com');
    const bea = { sub: 'bea', email: 'bea@example.com', email_verified: true };
    const atProvider = aBrowser();
    await signInAs(bea, '/account', atProvider);
    const browser = await signInAs(bea, anAuthorization(bed, clientId, server.mcpEndpoint, { prompt: 'login' }).url, atProvider);
    expect(Object.fromEntries(provider.requests.at(-1)!)).toMatchObject({ prompt: 'login', max_age: '0' });
    expect(browser.html).toContain('Allow Desk agent?');
  });

  test('refuses a sign-in that the provider took from an existing session', async () => {
    const cy = { sub: 'cy', email: 'cy@example.com', email_verified: true };
    const [atProvider, browser] = [aBrowser(), aBrowser()];
    await signInAs(cy, '/account', atProvider);
    await bed.begin(browser, anAuthorization(bed, clientId, server.mcpEndpoint, { prompt: 'login' }).url);
    // The person removes `prompt=login` from the URL.
    const [next] = await bed.gateway.db('openid_sign_ins').where('next', 'like', '/oauth/%').pluck('next');
    const signInUrl = await bed.begin(browser, `${bed.apiUrl}/sign-in?${new URLSearchParams({ next })}`);
    expect(signInUrl).not.toContain('prompt=login');
    await bed.comeBack(browser, await provider.answerOf(signInUrl, cy, atProvider));
    expect(browser.path).toBe('/sign-in');
    expect(new URL(browser.url).searchParams.get('next')).toBe(next);
  });
});

describe('settings and outages', () => {
  test('OIDC_ISSUER without OIDC_CLIENT_SECRET is refused', () => {
    const incomplete = () => readConfig({ OIDC_ISSUER: 'https://accounts.example.com', OIDC_CLIENT_ID: 'x' });
    expect(incomplete).toThrow('OIDC_CLIENT_SECRET: is needed with OIDC_ISSUER');
  });

  test.each(['http://127.0.0.1:9', 'https://10.1.2.3', 'http://localhost:1'])(
    'the page says that a provider at %s does not answer',
    async (issuer) => {
      const away = await openOAuthBed({ ...provider.env, OIDC_ISSUER: issuer, OUTBOUND_ALLOW_CIDRS: '' }, { replicaOf: bed });
      const browser = aBrowser();
      await browser.open(`${away.apiUrl}/sign-in`);
      await browser.submit({}, `Sign in with ${new URL(issuer).host}`);
      expect([browser.status, browser.html]).toEqual([503, expect.stringContaining('does not answer')]);
      await away.close();
    },
  );

  test('without mail and without a provider, the page says that sign-in is not configured', async () => {
    const bare = await openOAuthBed({ SMTP_URL: '', MAIL_FROM: '' }, { replicaOf: bed });
    const browser = aBrowser();
    await browser.open(`${bare.apiUrl}/sign-in`);
    expect(browser.html).toContain('Sign-in is not set up here');
    await browser.post('/sign-in/openid', {});
    expect(browser.status).toBe(404);
    await bare.close();
  });

  test('pages and addresses do not contain the client secret', async () => {
    const browser = await signInAs(ADA);
    expect(browser.html).not.toContain(provider.client.secret);
    expect(provider.requests.join(' ')).not.toContain(provider.client.secret);
  });
});
