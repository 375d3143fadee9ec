import { aClient, anAuthorization, aPerson, aServer, authorize, type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

// Requirements that a client can set for the sign-in: `prompt` and `max_age` (OpenID Connect Core
// 3.1.2.1).

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOAuthBed();
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed)]);
  await Promise.all([aPerson(bed, 'ada@example.com'), aPerson(bed, 'bob@example.com')]);
}, 120_000);
// An address gets no more than twenty codes an hour.
beforeEach(() => bed.gateway.db('sign_in_codes').delete());
afterAll(() => bed?.close());

const ask = (parameters: Record<string, string>) => anAuthorization(bed, clientId, server.mcpEndpoint, parameters).url;

/** A browser that is signed in, and has allowed the client. */
async function aKnownBrowser(): Promise<PlainBrowser> {
  const browser = aBrowser();
  await authorize(bed, ask({}), 'ada@example.com', browser);
  return browser;
}

const lastSignInWas = (interval: string) =>
  bed.gateway.db('sign_in_sessions').update({ authenticated_at: bed.gateway.db.raw('now() - ?::interval', [interval]) });
const codeOf = ({ leftTo }: PlainBrowser) => leftTo?.searchParams.get('code');
const errorOf = ({ leftTo }: PlainBrowser) => leftTo?.searchParams.get('error');

test.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent' }])(
  '%j asks somebody who is signed in to sign in again, and takes no older sign-in',
  async (parameters) => {
    const browser = await aKnownBrowser();
    await browser.open(ask(parameters));
    expect(browser.path).toBe('/sign-in');
    const interaction = new URL(browser.url).searchParams.get('next')!;
    await browser.open(bed.apiUrl + interaction);
    expect(browser.path).toBe('/sign-in');
    await signIn(bed, browser, 'ada@example.com');
    if (parameters.prompt?.includes('consent')) await browser.submit({}, 'Allow');
    expect(codeOf(browser)).toEqual(expect.any(String));
  },
);

test('another person may sign in instead, and is asked for their own consent', async () => {
  const browser = await aKnownBrowser();
  await browser.open(ask({ prompt: 'login' }));
  await signIn(bed, browser, 'bob@example.com');
  expect(browser.html).toContain('bob@example.com');
  await browser.submit({}, 'Allow');
  expect(codeOf(browser)).toEqual(expect.any(String));
});

test('a sign-in older than max_age is not accepted, a younger one is', async () => {
  const browser = await aKnownBrowser();
  await lastSignInWas('1 hour');
  await browser.open(ask({ max_age: '7200' }));
  expect(codeOf(browser)).toEqual(expect.any(String));
  await browser.open(ask({ max_age: '1800' }));
  expect(browser.path).toBe('/sign-in');
  await signIn(bed, browser, 'ada@example.com');
  expect(codeOf(browser)).toEqual(expect.any(String));
});

test.each(['-1', '1.5', 'soon', '1e3'])('max_age %j is refused', async (max_age) => {
  const browser = await aKnownBrowser();
  await browser.open(ask({ max_age }));
  expect(errorOf(browser)).toBe('invalid_request');
});

describe('prompt=none shows no page', () => {
  test('a code, if the person is signed in and has allowed the client', async () => {
    const browser = await aKnownBrowser();
    await browser.open(ask({ prompt: 'none' }));
    expect(codeOf(browser)).toEqual(expect.any(String));
  });

  test('login_required without a sign-in, and with one that is too old', async () => {
    const stranger = aBrowser();
    await stranger.open(ask({ prompt: 'none' }));
    expect([errorOf(stranger), stranger.leftTo?.searchParams.get('iss')]).toEqual(['login_required', bed.apiUrl]);
    const browser = await aKnownBrowser();
    await lastSignInWas('1 hour');
    await browser.open(ask({ prompt: 'none', max_age: '60' }));
    expect(errorOf(browser)).toBe('login_required');
    await browser.open(ask({ prompt: 'none', max_age: '0' }));
    expect(errorOf(browser)).toBe('login_required');
  });

  test('login_required after a sign-out', async () => {
    const browser = await aKnownBrowser();
    await browser.post('/sign-in/out', {});
    await browser.open(ask({ prompt: 'none' }));
    expect(errorOf(browser)).toBe('login_required');
  });

  test('consent_required for a client that has no consent', async () => {
    const [browser, { client_id: other }] = await Promise.all([aKnownBrowser(), aClient(bed)]);
    await browser.open(anAuthorization(bed, other, server.mcpEndpoint, { prompt: 'none' }).url);
    expect(errorOf(browser)).toBe('consent_required');
  });

  test.each(['none login', 'create'])('"%s" is no prompt', async (prompt) => {
    const browser = await aKnownBrowser();
    await browser.open(ask({ prompt }));
    expect(errorOf(browser)).toBe('invalid_request');
  });
});

test('parameters that OpenID Connect clients add are ignored, since no ID token is issued', async () => {
  const browser = await aKnownBrowser();
  await browser.open(ask({ scope: 'openid mcp:tools', nonce: 'n', acr_values: 'x', claims_locales: 'de', id_token_hint: 'x' }));
  expect(codeOf(browser)).toEqual(expect.any(String));
});
