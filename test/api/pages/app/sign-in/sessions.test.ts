import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../../../api/app.ts';
import { issueMemberLink } from '../../../../../commands/members/member-links.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { aMember, appClient } from '../app-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

test('over TLS, the cookie’s name has the __Host- prefix', async () => {
  const config = { ...bed.gateway.config, platformUrl: 'https://gateway.example.com' };
  const server = createApp({ ...bed.gateway, config }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const member = await aMember(bed, 'viewer');
  const link = await issueMemberLink(bed.gateway, member, 'sign-in');
  const token = new URL(link).searchParams.get('token')!;
  const answer = await appClient({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }).post('/sign-in/link', { token });
  server.close();
  expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-gateway=mss_\w+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure$/);
});

test('the newest link signs in once, and older links do not sign in', async () => {
  const member = await aMember(bed, 'member');
  const tokenOf = async (purpose: 'sign-in' | 'invitation') =>
    new URL(await issueMemberLink(bed.gateway, member, purpose)).searchParams.get('token')!;
  const [former, token] = [await tokenOf('invitation'), await tokenOf('sign-in')];
  const client = appClient(bed);
  expect((await client.get(`/sign-in/link?token=${former}`)).status).toBe(404);
  for (let opened = 0; opened < 2; opened++)
    expect((await client.get(`/sign-in/link?token=${token}`)).text).toContain(`Sign in as ${member.email} ?`);
  const answers = await Promise.all([client, appClient(bed)].map((one) => one.post('/sign-in/link', { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 404]);
  await bed.gateway.db('member_links').insert({
    ...{ org_id: bed.orgId, user_id: member.id, purpose: 'sign-in', expires_at: new Date(0), token_hash: bed.gateway.tokens.hash(former) },
  });
  for (let tries = 0; tries < 2; tries += 1) expect((await client.post('/sign-in/link', { token: former })).status).toBe(404);
  const failures = await bed.gateway.db('activity').where({ type: 'member.sign_in_failed' }).select('details');
  expect(failures.map(({ details }) => details)).toEqual([expect.objectContaining({ email: member.email, method: 'link' })]);
});

test('without a session, a form keeps its values except secrets', async () => {
  const client = appClient(bed);
  expect((await client.get('/settings/members?a=1')).location).toBe('/app/sign-in?next=%2Fapp%2Fsettings%2Fmembers%3Fa%3D1');
  const kept = await client.post('/settings/members/new', { email: 'bob@example.com', password: 'a secret' });
  expect([kept.status, kept.text]).toEqual([401, expect.stringContaining('Sign in again')]);
  expect(kept.html).toContain('name="email" value="bob@example.com"');
  expect(kept.html).not.toContain('a secret');
});

test('"Sign in again" keeps a field named key, but drops fields marked as secret', async () => {
  const typed = { 'input.key': 'my-key', 'select.exclude': 'tag x', headers: 'X-Api-Key: a secret', 'secret-field': 'headers' };
  const { html } = await appClient(bed).post('/integrations/import', typed);
  expect(html).toContain('name="input.key" value="my-key"');
  expect(html).not.toContain('a secret');
  const owner = await aMember(bed, 'owner');
  expect((await owner.get('/integrations/import')).html).toContain('name="secret-field" value="headers"');
  expect((await owner.get('/account')).html).toContain('name="secret-field" value="next"');
});

test.each([
  ...['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example', 'account', ''],
  ...['/docs', '/account', '/appendix', '/app/../docs', '/app/%2e%2e/docs', '/app//evil.example', '/app/sign-in', '/app/sign-out'],
])('a sign-in redirects only within the dashboard: %j', async (next) => {
  const client = await aMember(bed, 'viewer');
  expect((await client.get(`/sign-in?next=${encodeURIComponent(next)}`)).location).toBe('/app');
});

test.each([
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['a neighbouring host', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['the address bar', { 'Sec-Fetch-Site': 'none' }, 403],
  ['another origin, without metadata', { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' }, 403],
  ['the origin "null", without metadata', { 'Sec-Fetch-Site': '', Origin: 'null' }, 403],
  ['a client that sends no metadata and no origin', { 'Sec-Fetch-Site': '' }, 403],
])('a form from %s changes nothing', async (_, headers, status) => {
  const member = await aMember(bed, 'owner');
  const answer = await member.post('/account/sign-out-everywhere', {}, headers);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('This form came from another site')]);
  expect((await member.get('')).status).toBe(200);
});

test('a form from the service’s own origin is accepted without fetch metadata', async () => {
  const member = await aMember(bed, 'owner');
  const json = await member.post('/sign-out', {}, { 'Content-Type': 'application/json' });
  expect(json.status).toBe(415);
  expect((await member.post('/sign-out', {}, { 'Sec-Fetch-Site': '', Origin: bed.apiUrl })).location).toBe('/app/sign-in');
  expect((await member.get('')).status).toBe(303);
});

test('the dashboard accepts no API key, and the API accepts no session', async () => {
  const member = await aMember(bed, 'owner');
  expect((await appClient(bed).get('', { Authorization: `Bearer ${bed.plainKey}` })).status).toBe(303);
  const api = await fetch(`${bed.apiUrl}/api/v1/workspaces`, { headers: { Cookie: member.cookie } });
  expect(api.status).toBe(401);
  const asKey = await fetch(`${bed.apiUrl}/api/v1/workspaces`, { headers: { Authorization: `Bearer ${member.sessionToken}` } });
  expect(asKey.status).toBe(401);
});

test('a session ends after 12 idle hours or at its expiry', async () => {
  const [idle, old, fresh] = [await aMember(bed, 'viewer'), await aMember(bed, 'viewer'), await aMember(bed, 'viewer')];
  const set = (id: string, changes: object) => bed.gateway.db('member_sessions').where({ user_id: id }).update(changes);
  await set(idle.id, { last_seen_at: bed.gateway.db.raw("now() - interval '12 hours 1 second'") });
  await set(old.id, { expires_at: bed.gateway.db.fn.now() });
  await set(fresh.id, { last_seen_at: bed.gateway.db.raw("now() - interval '11 hours 59 minutes'") });
  expect((await Promise.all([idle, old, fresh].map((one) => one.get('')))).map(({ status }) => status)).toEqual([303, 303, 200]);
  const recent = bed.gateway.db.raw("now() - last_seen_at < interval '1 minute' as age");
  const { age } = await bed.gateway.db('member_sessions').where({ user_id: fresh.id }).first(recent);
  expect(age).toBe(true);
});

test('after a sign-out, the sign-in page says once that the member is signed out', async () => {
  const member = await aMember(bed, 'viewer');
  await member.post('/sign-out');
  expect((await member.get('/sign-in')).html).toContain('role="status">You are signed out.<');
  expect((await member.get('/sign-in')).html).not.toContain('You are signed out.');
});
