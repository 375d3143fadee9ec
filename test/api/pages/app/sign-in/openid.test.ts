import { issueMemberLink } from '../../../../../commands/members/member-links.ts';
import { freePort } from '../../../../../standalone/free-port.ts';
import { openApiBed } from '../../../api-bed.ts';
import { aBrowser, type PlainBrowser } from '../../../oauth/plain-browser.ts';
import { aMember, appClient } from '../app-bed.ts';
import { type OpenIdMembersBed, openOpenIdMembersBed } from './openid-members-bed.ts';

// These tests include attacks on the provider's redirect (RFC 9700).

const ADA = { sub: 'ada-1', email: 'Ada@Example.com', email_verified: true };

let bed: OpenIdMembersBed;
beforeAll(async () => {
  bed = await openOpenIdMembersBed();
  await aMember(bed, 'owner', { email: 'ada@example.com', name: 'Ada' });
}, 120_000);
afterEach(() => bed.provider.tamper(undefined));
afterAll(() => bed?.close());

const isSignedIn = async (browser: PlainBrowser, { apiUrl }: { apiUrl: string } = bed) => {
  await browser.open(`${apiUrl}/app/account`);
  return browser.path === '/app/account';
};

async function post(browser: PlainBrowser, answer: URL): Promise<number> {
  await browser.open(`${bed.apiUrl}/app/sign-in`);
  await browser.post('/app/sign-in/openid/callback', Object.fromEntries(answer.searchParams));
  return browser.status;
}

test('a member with a verified address signs in and returns to the requested page', async () => {
  const browser = await bed.signInAs(ADA, '?next=/app/keys');
  expect(new URL(browser.url).pathname).toBe('/app/keys');
  await browser.open(`${bed.apiUrl}/app/account`);
  expect(browser.html).toContain('OpenID Connect');
  const asked = bed.provider.requests.at(-1)!;
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect([asked.get('nonce'), asked.get('state')].every((value) => value !== null && value.length >= 43)).toBe(true);
  const rows = await bed.gateway.db('activity').where({ type: 'member.signed_in' }).orderBy('id', 'desc').first();
  expect(rows.details).toMatchObject({ method: 'openid', email: 'ada@example.com' });
});

test('a sign-in with `anew` asks the provider for a new sign-in', async () => {
  await bed.signInAs(ADA, '?anew=1&next=/app/settings/members');
  expect(Object.fromEntries(bed.provider.requests.at(-1)!)).toMatchObject({ prompt: 'login', max_age: '0' });
});

test('for actions of owners, a sign-in counts as recent only if the provider was asked for a new one', async () => {
  for (const [query, path] of [
    ['', '/app/sign-in'],
    ['?anew=1', '/app/settings/keys/encryption/rotate'],
  ]) {
    const browser = await bed.signInAs(ADA, query);
    await browser.open(`${bed.apiUrl}/app/settings/keys/encryption/rotate`);
    expect([query, browser.path]).toEqual([query, path]);
  }
});

test('after a sign-in, the redirect stays below /app', async () => {
  const browser = await bed.signInAs(ADA, '?next=//evil.example/');
  expect(new URL(browser.url).href).toBe(`${bed.apiUrl}/app`);
});

test.each([
  ['an address that belongs to no member', { sub: 'eve-1', email: 'eve@example.com', email_verified: true }],
  ['an address that the provider has not verified', { sub: 'eve-2', email: 'ada@example.com', email_verified: false }],
  ['an address without a verification state', { sub: 'eve-3', email: 'ada@example.com' }],
  ['no address', { sub: 'eve-4' }],
  ['a person who declines', 'deny' as const],
])('%s: the sign-in fails with an alert and creates no membership', async (_, person) => {
  const before = await bed.gateway.db('memberships').count('*');
  const browser = await bed.signInAs(person);
  expect(browser.html).toContain('role="alert"');
  expect(await isSignedIn(browser)).toBe(false);
  expect(await bed.gateway.db('memberships').count('*')).toEqual(before);
});

test('an answer cannot sign in another browser (login CSRF, fixation)', async () => {
  const [{ answer }, other] = [await bed.almost(ADA), aBrowser()];
  await post(other, answer);
  expect(await isSignedIn(other)).toBe(false);
  await bed.begin(other);
  expect(await post(other, answer)).toBe(403);
  expect(await isSignedIn(other)).toBe(false);
});

test('a GET of the redirect URI does not use up the answer; the answer is valid only once', async () => {
  const { browser, answer } = await bed.almost(ADA);
  for (const method of ['GET', 'HEAD']) await fetch(answer, { method });
  expect(await isSignedIn(browser)).toBe(false);
  const secret = browser.cookie('gateway_openid')!;
  await post(browser, answer);
  expect(await isSignedIn(browser)).toBe(true);
  const again = aBrowser();
  await again.open(`${bed.apiUrl}/app/sign-in`);
  again.plant('gateway_openid', secret);
  expect(await post(again, answer)).toBe(400);
  expect(await isSignedIn(again)).toBe(false);
});

test('an answer after the deadline is refused', async () => {
  const { browser, answer } = await bed.almost(ADA);
  await bed.gateway.db('openid_sign_ins').update({ expires_at: bed.gateway.db.fn.now() });
  expect(await post(browser, answer)).toBe(400);
});

test.each([
  ['another state', 'state', 'x'.repeat(43)],
  ['no state', 'state', ''],
  ['another issuer (mix-up, RFC 9207)', 'iss', 'https://evil.example'],
  ['another code', 'code', 'stolen'],
])('an answer with %s is refused', async (_, name, value) => {
  const { browser, answer } = await bed.almost(ADA);
  if (value) answer.searchParams.set(name, value);
  else answer.searchParams.delete(name);
  expect(await post(browser, answer)).toBe(403);
  expect(await isSignedIn(browser)).toBe(false);
});

test('the code from another sign-in is refused (code injection: PKCE, nonce)', async () => {
  const [{ browser, answer }, stolen] = [await bed.almost(ADA), await bed.almost(ADA)];
  answer.searchParams.set('code', stolen.answer.searchParams.get('code')!);
  await post(browser, answer);
  expect(await isSignedIn(browser)).toBe(false);
});

test('an ID token with another nonce is refused', async () => {
  const { browser, answer } = await bed.almost(ADA);
  const other = await bed.almost(ADA);
  let taken: unknown;
  bed.provider.tamper((body) => {
    taken ??= body.id_token;
    return { ...body, id_token: taken };
  });
  await post(other.browser, other.answer);
  await post(browser, answer);
  expect(await isSignedIn(browser)).toBe(false);
});

test('an answer for a member cannot sign in an end user', async () => {
  const { browser, answer } = await bed.almost(ADA);
  await browser.open(`${bed.apiUrl}/sign-in`);
  browser.plant('gateway_sign_in_openid', browser.cookie('gateway_openid')!);
  await browser.post('/sign-in/openid/callback', Object.fromEntries(answer.searchParams));
  await browser.open(`${bed.apiUrl}/account`);
  expect(browser.path).toBe('/sign-in');
});

test('a form from another site cannot start or finish a sign-in', async () => {
  for (const path of ['/app/sign-in/openid', '/app/sign-in/openid/callback']) {
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    const answer = await fetch(bed.apiUrl + path, { method: 'POST', headers, body: new URLSearchParams({ state: 'x' }) });
    expect(answer.status).toBe(403);
  }
});

test('without a configured provider there is no button and no page; with an unreachable provider, a sign-in gets 503', async () => {
  const plain = await openApiBed();
  const client = appClient(plain);
  expect((await client.get('/sign-in')).html).not.toContain('Sign in with');
  expect((await client.post('/sign-in/openid')).status).toBe(404);
  expect((await client.get('/sign-in/openid/callback?state=x')).status).toBe(404);
  await plain.close();
  const issuer = `http://127.0.0.1:${await freePort(0)}`;
  const away = await openApiBed({
    ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' },
    ...{ OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' },
  });
  const answer = await appClient(away).post('/sign-in/openid');
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('does not answer. Try again in a moment.')]);
  await away.close();
});

describe('with OIDC_ONLY and OIDC_DEFAULT_ROLE', () => {
  let strict: OpenIdMembersBed;
  beforeAll(async () => {
    strict = await openOpenIdMembersBed({ OIDC_ONLY: '1', OIDC_DEFAULT_ROLE: 'viewer' }, { tellsTime: true });
  }, 120_000);
  afterAll(() => strict?.close());

  test('passwords and codes are not offered or accepted', async () => {
    const client = appClient(strict);
    const { html } = await client.get('/sign-in');
    expect(html).toContain('Sign in with');
    expect(html).not.toMatch(/type="password"|name="email"|E-mail me a code/);
    const member = await aMember(strict, 'owner');
    for (const path of ['/sign-in', '/sign-in/code', '/sign-in/code/send'])
      expect([path, (await client.post(path, { email: member.email, password: 'x'.repeat(20) })).status]).toEqual([path, 404]);
    expect((await member.get('/account')).html).not.toContain('type="password"');
    expect((await member.post('/account', { next: 'a new password of mine' })).status).toBe(404);
  });

  test.each([
    ['a minute ago', -60, '/app/settings/keys/encryption/rotate', 60],
    ['an hour ago', -3600, '/app/sign-in', 901],
    ['in 1970', 1 - Math.floor(Date.now() / 1000), '/app/sign-in', 901],
    ['in an hour, because the provider’s clock is fast', 3600, '/app/settings/keys/encryption/rotate', 0],
  ])('the age of a sign-in at the provider counts for actions of owners: %s', async (_, seconds, path, age) => {
    const { email } = await aMember(strict, 'owner');
    const signedInAt = Math.floor(Date.now() / 1000) + seconds;
    const browser = await strict.signInAs({ sub: email, email, email_verified: true, signedInAt });
    await browser.open(`${strict.apiUrl}/app/settings/keys/encryption/rotate`);
    expect(browser.path).toBe(path);
    const { rows } = await strict.gateway.db.raw(
      `select extract(epoch from now() - s.created_at)::float8 as age from member_sessions s join users u on u.id = s.user_id
       where u.email = ? and s.method = 'openid'`,
      [email],
    );
    expect(rows[0].age).toBeGreaterThanOrEqual(age);
    expect(rows[0].age).toBeLessThan(age + 300);
  });

  test('a sign-in link from an operator still works', async () => {
    const member = await aMember(strict, 'owner');
    const link = new URL(await issueMemberLink(strict.gateway, member, 'sign-in'));
    const answer = await appClient(strict).post('/sign-in/link', { token: link.searchParams.get('token')! });
    expect([answer.status, answer.location]).toEqual([303, '/app']);
  });

  test('a person becomes a member with the default role, except after a removal or if there are two organizations', async () => {
    const eve = { sub: 'eve', email: 'Eve@example.com', email_verified: true };
    const browser = await strict.signInAs(eve);
    expect(await isSignedIn(browser, strict)).toBe(true);
    const row = await strict.gateway
      .db('memberships as m')
      .join('users as u', 'u.id', 'm.user_id')
      .where('u.email', 'eve@example.com')
      .first('role');
    expect(row.role).toBe('viewer');
    const added = await strict.gateway.db('activity').where({ type: 'member.added' }).orderBy('id', 'desc').first();
    expect([added.actor_type, added.details.method, added.details.role]).toEqual(['system', 'openid', 'viewer']);
    const owner = await aMember(strict, 'owner');
    const { id } = await strict.gateway.db('users').where({ email: 'eve@example.com' }).first('id');
    expect((await owner.post(`/settings/members/${id}/remove`)).status).toBe(303);
    const removed = await strict.signInAs(eve);
    expect(removed.html).toContain('Ask an owner to invite you.');
    expect(await isSignedIn(removed, strict)).toBe(false);
    expect((await owner.post('/settings/members/new', { email: 'eve@example.com', role: 'member' })).status).toBe(200);
    expect(await isSignedIn(await strict.signInAs(eve), strict)).toBe(true);

    await strict.gateway.db('orgs').insert({ name: 'A second one' });
    const mallory = await strict.signInAs({ sub: 'mallory', email: 'mallory@example.com', email_verified: true });
    expect(await isSignedIn(mallory, strict)).toBe(false);
  });
});
