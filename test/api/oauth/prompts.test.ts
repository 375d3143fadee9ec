import { aClient, anAuthorization, aPerson, aServer, authorize, type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

// `prompt` and `max_age` (OpenID Connect Core 3.1.2.1).

let bed: OAuthBed;
let server: { id: string; mcpEndpoint: string };
let clientId: string;
beforeAll(async () => {
  bed = await openOAuthBed();
  [server, { client_id: clientId }] = await Promise.all([aServer(bed), aClient(bed)]);
  await Promise.all([aPerson(bed, 'ada@example.com'), aPerson(bed, 'bob@example.com')]);
}, 120_000);
// Each e-mail address gets at most twenty codes an hour, so every test starts without codes.
beforeEach(() => bed.gateway.db('sign_in_codes').delete());
afterAll(() => bed?.close());

const ask = (parameters: Record<string, string>) => anAuthorization(bed, clientId, server.mcpEndpoint, parameters).url;

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
  '%j requires a new sign-in, even from a person who is signed in',
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

test('another person can sign in instead, and is asked for consent', async () => {
  const browser = await aKnownBrowser();
  await browser.open(ask({ prompt: 'login' }));
  await signIn(bed, browser, 'bob@example.com');
  expect(browser.html).toContain('bob@example.com');
  await browser.submit({}, 'Allow');
  expect(codeOf(browser)).toEqual(expect.any(String));
});

test('max_age refuses an older sign-in and accepts a newer one', async () => {
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
  test('the client gets a code if the person is signed in and has allowed the client', async () => {
    const browser = await aKnownBrowser();
    await browser.open(ask({ prompt: 'none' }));
    expect(codeOf(browser)).toEqual(expect.any(String));
  });

  test('the client gets login_required without a sign-in, or with one that is too old', async () => {
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

  test('the client gets login_required after a sign-out', async () => {
    const browser = await aKnownBrowser();
    await browser.post('/sign-in/out', {});
    await browser.open(ask({ prompt: 'none' }));
    expect(errorOf(browser)).toBe('login_required');
  });

  test('the client gets consent_required without the person’s consent', async () => {
    const [browser, { client_id: other }] = await Promise.all([aKnownBrowser(), aClient(bed)]);
    await browser.open(anAuthorization(bed, other, server.mcpEndpoint, { prompt: 'none' }).url);
    expect(errorOf(browser)).toBe('consent_required');
  });

  test.each(['none login', 'create'])('"%s" is an invalid prompt', async (prompt) => {
    const browser = await aKnownBrowser();
    await browser.open(ask({ prompt }));
    expect(errorOf(browser)).toBe('invalid_request');
  });
});

test('parameters that concern ID tokens are ignored, because no ID token is issued', async () => {
  const browser = await aKnownBrowser();
  await browser.open(ask({ scope: 'openid mcp:tools', nonce: 'n', acr_values: 'x', claims_locales: 'de', id_token_hint: 'x' }));
  expect(codeOf(browser)).toEqual(expect.any(String));
});
