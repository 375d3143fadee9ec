import { issueSetupLink } from '../../../../../commands/members/set-up.ts';
import { signInByPassword } from '../../../../../commands/members/sign-in-by-password.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppClient, appClient } from '../app-bed.ts';

const PASSWORD = 'correct horse battery staple';
const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD };
const REFUSED = "That e-mail and password don't match.";

let bed: ApiBed;
beforeEach(async () => {
  bed = await openApiBed();
});
afterEach(() => bed.close());

async function setUp(): Promise<AppClient> {
  const client = appClient(bed);
  const token = await setupToken();
  expect((await client.post('/setup', { token: token!, ...ADA })).location).toBe('/app');
  return client;
}

async function setupToken(): Promise<string | undefined> {
  const link = await issueSetupLink(bed.gateway, bed.orgId);
  return link && new URL(link).searchParams.get('token')!;
}

const activityTypes = async () => (await bed.gateway.db('activity').orderBy('id').select('type')).map(({ type }) => type);
const signIn = (client: AppClient, fields: Record<string, string>) => client.post('/sign-in', fields);

test('the set-up link creates the first owner once, and reports errors in the form', async () => {
  const client = appClient(bed);
  const token = (await setupToken())!;
  const page = await client.get(`/setup?token=${token}`);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Set up this gateway')]);
  const wrong = await client.post('/setup', { token, ...ADA, name: '', password: 'too short' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('Nothing was saved.');
  expect(wrong.html).toMatch(/<a href="#field-password">Password<\/a> needs 15 characters or more/);
  expect(wrong.html).toMatch(/id="field-name"[^>]* aria-describedby="field-name-problem" aria-invalid="true"/);
  expect(wrong.html).toContain('value="ada@example.com"');
  expect(wrong.html).not.toContain('too short');
  expect(
    (await client.post('/setup', { token, ...ADA, email: 'adalovelace@example.com', password: 'AdaLovelace@example.com' })).status,
  ).toBe(400);

  expect((await client.post('/setup', { token, ...ADA })).location).toBe('/app');
  const first = await client.get('');
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('You are the owner of this gateway.')]);
  expect((await client.get('')).text).not.toContain('You are the owner of this gateway.');
  const ended = await client.get(`/setup?token=${token}`);
  expect([ended.status, ended.html]).toEqual([404, expect.stringContaining('<h1>There is nothing here</h1>')]);
  expect(ended.text).toContain('This set-up link was used, has expired, or was replaced by a newer one.');
  expect(ended.text).toContain('npm run --silent admin -- setup-link');
  expect((await appClient(bed).post('/setup', { token, ...ADA })).status).toBe(404);
  expect(await setupToken()).toBeUndefined();
  expect(await activityTypes()).toEqual(['member.added', 'member.signed_in']);
});

test('of two people who use the set-up link concurrently, one becomes the owner', async () => {
  const token = (await setupToken())!;
  const answers = await Promise.all(
    ['a', 'b'].map((name) => appClient(bed).post('/setup', { token, ...ADA, email: `${name}@example.com` })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 404]);
  expect(await bed.gateway.db('memberships').where({ role: 'owner' })).toHaveLength(1);
});

test('a wrong password and an unknown address get the same answer', async () => {
  await setUp();
  const client = appClient(bed);
  const wrong = await signIn(client, { email: ADA.email, password: `${PASSWORD}!`, next: '/app/account' });
  const unknown = await signIn(client, { email: 'bob@example.com', password: PASSWORD });
  expect([wrong.status, unknown.status]).toEqual([400, 400]);
  for (const { text } of [wrong, unknown]) expect(text).toContain(REFUSED);
  expect(wrong.html).toContain('value="ada@example.com"');
  expect(wrong.html).toContain('name="next" value="/app/account"');

  const answer = await signIn(client, { email: 'ADA@example.com ', password: PASSWORD, next: '/app/account' });
  expect([answer.status, answer.location]).toEqual([303, '/app/account']);
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^gateway=mss_\w+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/),
  ]);
  expect((await client.get('/account')).status).toBe(200);
  expect((await client.get('/sign-in?next=/app/account')).location).toBe('/app/account');
  expect(await activityTypes()).toEqual(['member.added', 'member.signed_in', 'member.sign_in_failed', 'member.signed_in']);
});

test('after five tries, an e-mail address must wait, even with the right password', async () => {
  await setUp();
  const browser = (source: string) => ({ source, userAgent: '' });
  for (const email of [ADA.email, 'nobody@example.com']) {
    const tries = [1, 2, 3, 4, 5].map((n) => signInByPassword(bed.gateway, { email, password: 'wrong', ...browser(`10.0.0.${n}`) }));
    expect((await Promise.all(tries)).map(({ outcome }) => outcome)).toEqual(Array(5).fill('refused'));
    const { status, text, headers } = await signIn(appClient(bed), { email, password: PASSWORD });
    expect([status, text]).toEqual([429, expect.stringMatching(/Too many tries\. Try again in 15 minutes\./)]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
  }
  const other = await signInByPassword(bed.gateway, { email: 'other@example.com', password: PASSWORD, ...browser('10.0.0.1') });
  expect(other.outcome).toBe('refused');
});

test('after twenty failures, an IP address must wait; successes do not count', async () => {
  await setUp();
  const source = { source: '10.0.0.9', userAgent: '' };
  await bed.gateway.db('request_counts').insert({
    ...{ purpose: 'member-source', source: source.source, total: 19, ends_at: bed.gateway.db.raw("now() + interval '1 minute'") },
  });
  const attempt = (email: string, password: string) => signInByPassword(bed.gateway, { email, password, ...source });
  expect((await attempt(ADA.email, PASSWORD)).outcome).toBe('signed-in');
  expect((await attempt('a@example.com', PASSWORD)).outcome).toBe('refused');
  expect(await attempt('b@example.com', PASSWORD)).toEqual({ outcome: 'limited', waitSeconds: expect.any(Number) });
});

test('after five wrong passwords, a member with the right password must wait to change it', async () => {
  const here = await setUp();
  await bed.gateway.db('request_counts').insert({
    ...{ purpose: 'member-email', source: ADA.email, total: 4, ends_at: bed.gateway.db.raw("now() + interval '1 minute'") },
  });
  const change = (current: string) => here.post('/account', { current, next: 'another sufficiently long one' });
  expect((await change('wrong')).status).toBe(400);
  const { status, text } = await change(PASSWORD);
  expect([status, text]).toEqual([429, expect.stringMatching(/Too many tries/)]);
});

test('without a session, a form of seventy thousand fields gets a small page', async () => {
  const fields = Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [String(at), '']));
  const { status, text, html } = await appClient(bed).post('/playground/action', fields);
  expect([status, text]).toEqual([401, expect.stringMatching(/Sign in again.*keeps what you typed, except passwords/)]);
  expect(html.length).toBeLessThan(20_000);
});

test('a new password ends every other session; signing out everywhere ends all sessions', async () => {
  const here = await setUp();
  const there = appClient(bed);
  await signIn(there, { email: ADA.email, password: PASSWORD });
  const next = 'another sufficiently long one';
  expect((await here.post('/account', { current: 'wrong', next })).text).toContain('Nothing was saved. Current password is wrong');
  expect((await activityTypes()).filter((type) => type === 'member.sign_in_failed')).toHaveLength(1);
  expect((await here.post('/account', { current: PASSWORD, next })).location).toBe('/app/account');
  expect([(await here.get('')).status, (await there.get('')).status]).toEqual([200, 303]);
  expect((await signIn(there, { email: ADA.email, password: PASSWORD })).status).toBe(400);
  expect((await signIn(there, { email: ADA.email, password: next })).status).toBe(303);

  expect((await here.post('/account/sign-out-everywhere')).location).toBe('/app/sign-in');
  expect([(await here.get('')).status, (await there.get('')).status]).toEqual([303, 303]);
  expect(await activityTypes()).toEqual(
    expect.arrayContaining(['member.password_changed', 'member.signed_out_everywhere', 'member.sign_in_failed']),
  );
});
