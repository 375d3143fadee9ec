import { ADA, type OpenIdBed, openOpenIdBed } from './openid-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

// Attacks on the redirect from an OpenID provider to the service (RFC 9700).

let bed: OpenIdBed;
beforeAll(async () => {
  bed = await openOpenIdBed();
}, 120_000);
afterEach(() => bed.provider.tamper(undefined));
afterAll(() => bed?.close());

async function almostSignedIn(): Promise<{ browser: PlainBrowser; answer: URL }> {
  const browser = aBrowser();
  return { browser, answer: await bed.provider.answerOf(await bed.begin(browser), ADA) };
}

async function isSignedIn(browser: PlainBrowser, answer: URL): Promise<boolean> {
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.post('/sign-in/openid/callback', Object.fromEntries(answer.searchParams));
  await browser.open(`${bed.apiUrl}/account`);
  return browser.path === '/account';
}

test('a GET of the redirect URI does not use up the answer', async () => {
  const { browser, answer } = await almostSignedIn();
  for (const method of ['GET', 'HEAD']) await fetch(answer, { method });
  await browser.open(answer.href);
  await browser.open(answer.href);
  await browser.submit({}, 'Continue');
  expect(browser.path).toBe('/account');
});

test('an answer cannot sign in another browser (login CSRF, fixation)', async () => {
  const [{ answer }, other] = [await almostSignedIn(), aBrowser()];
  expect(await isSignedIn(other, answer)).toBe(false);
  await bed.begin(other);
  expect(await isSignedIn(other, answer)).toBe(false);
});

test('an answer is valid only once', async () => {
  const { browser, answer } = await almostSignedIn();
  expect(await isSignedIn(browser, answer)).toBe(true);
  await browser.post('/sign-in/out', {});
  expect(await isSignedIn(browser, answer)).toBe(false);
});

test('an answer after the deadline is refused', async () => {
  const { browser, answer } = await almostSignedIn();
  await bed.gateway.db('openid_sign_ins').update({ expires_at: bed.gateway.db.fn.now() });
  expect(await isSignedIn(browser, answer)).toBe(false);
});

test.each([
  ['another state', 'state', 'x'.repeat(43)],
  ['no state', 'state', ''],
  ['another issuer (mix-up, RFC 9207)', 'iss', 'https://evil.example'],
  ['another code', 'code', 'stolen'],
  ['no code', 'code', ''],
])('an answer with %s is refused', async (_, name, value) => {
  const { browser, answer } = await almostSignedIn();
  if (value) answer.searchParams.set(name, value);
  else answer.searchParams.delete(name);
  expect(await isSignedIn(browser, answer)).toBe(false);
});

test('the code from another sign-in is refused (code injection: PKCE, nonce)', async () => {
  const [{ browser, answer }, stolen] = [await almostSignedIn(), await almostSignedIn()];
  answer.searchParams.set('code', stolen.answer.searchParams.get('code')!);
  expect(await isSignedIn(browser, answer)).toBe(false);
});

test.each<[string, (idToken: string[]) => string[]]>([
  ['without a signature', ([head, claims]) => [head!, claims!, '']],
  ['with the algorithm none', ([, claims]) => [encode({ alg: 'none' }), claims!, '']],
  ['with other claims', ([head, , signature]) => [head!, encode({ ...ADA, iss: bed.provider.issuer, aud: 'gateway' }), signature!]],
  ['that is not a JWT', () => ['x', 'y', 'z']],
])('an ID token %s is refused', async (_, forge) => {
  const { browser, answer } = await almostSignedIn();
  bed.provider.tamper((body) => ({ ...body, id_token: forge(String(body.id_token).split('.')).join('.') }));
  expect(await isSignedIn(browser, answer)).toBe(false);
});

test('a form from another site cannot start or finish a sign-in', async () => {
  for (const path of ['/sign-in/openid', '/sign-in/openid/callback']) {
    const answer = await fetch(bed.apiUrl + path, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      body: new URLSearchParams({ state: 'x' }),
      redirect: 'manual',
    });
    expect([path, answer.status]).toEqual([path, 403]);
  }
});

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
