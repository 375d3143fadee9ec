import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
});
afterAll(() => bed.close());

const listed = async () => (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys;
const shownKey = (html: string) => /value="(svc_[^"]+)"/.exec(html)![1]!;
const statusWith = async (key: string, path: string) =>
  (await fetch(bed.apiUrl + path, { headers: { Authorization: `Bearer ${key}` } })).status;

test('a new key has the chosen permissions and is shown once', async () => {
  const typed = { name: 'Billing <b>backend</b>', workspaces: bed.workspaceId, decide: 'yes', expires: '2999-12-31' };
  const created = await admin.post('/keys/new', typed);
  expect([created.status, created.text]).toEqual([200, expect.stringMatching(/Copy it now.*Billing <b>backend/)]);
  const key = shownKey(created.html);
  expect(await statusWith(key, `/api/v1/workspaces/${bed.workspaceId}`)).toBe(200);
  expect(await statusWith(key, '/api/v1/api-keys')).toBe(403);

  const record = (await listed()).find(({ name }: { name: string }) => name === typed.name);
  expect(record).toMatchObject({
    permissions: { scope: 'workspace', workspaceIds: [bed.workspaceId], approvals: { decide: true } },
    expiresAt: '3000-01-01T00:00:00.000Z',
  });
  const list = await admin.get('/keys');
  expect(list.html).not.toContain(key);
  expect(list.html).not.toContain('<b>');

  const asked = await admin.get(`/keys/${record.id}/delete`);
  expect(asked.text).toMatch(/Delete Billing <b>backend<\/b>\?.*was last used on/);
  expect((await admin.post(`/keys/${record.id}/delete`)).location).toMatch(/\/app\/keys$/);
  expect(await statusWith(key, `/api/v1/workspaces/${bed.workspaceId}`)).toBe(401);

  const rows = await bed.gateway.db('activity').where('type', 'like', 'api_key.%').orderBy('id');
  expect(rows.map(({ type, actor_type, actor_id }) => [type, actor_type, actor_id])).toEqual([
    ['api_key.created', 'user', admin.id],
    ['api_key.deleted', 'user', admin.id],
  ]);
  expect(JSON.stringify(rows)).not.toContain(key);
});

test('a key can be found by part of its name; its page links to the deletion', async () => {
  const viewer = await aMember(bed, 'viewer');
  await admin.post('/keys/new', { name: 'Nightly export' });
  const { id, keyPrefix } = (await listed()).find(({ name }: { name: string }) => name === 'Nightly export');
  const { html } = await viewer.get('/keys?name=NIGHTLY');
  expect(html.match(/role="rowheader"/g)).toHaveLength(1);
  expect(html).toContain(`<a href="/app/keys/${id}">Nightly export</a>`);
  expect((await viewer.get('/keys?name=nobody')).text).toContain('Nothing matches these filters.');
  const page = await viewer.get(`/keys/${id}`);
  expect(page.text).toMatch(new RegExp(`Nightly export Begins with ${keyPrefix} Workspaces All workspaces Decides No`));
  expect(page.html).not.toContain(`/keys/${id}/delete`);
  expect((await admin.get(`/keys/${id}`)).html).toContain(`href="/app/keys/${id}/delete">Delete</a>`);
});

async function answerTo(key: string, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) };
  const answer = await fetch(`${bed.apiUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as { plainKey: string; member: { id: string } } };
}

test.each([
  ['without a name', {}, 'Name is missing'],
  ['with a past day', { name: 'x', expires: '2020-01-01' }, 'Expires is in the past'],
  ['with an invalid day', { name: 'x', expires: 'soon' }, 'Expires'],
  ['with an unknown workspace', { name: 'x', workspaces: 'nobody' }, 'Workspaces'],
])('%s, nothing is created and the form keeps its values', async (_, typed, problem) => {
  const before = await listed();
  const { status, html, text } = await admin.post('/keys/new', { ...typed, decide: 'yes' });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect(html).toMatch(/name="decide"[^>]* checked/);
  expect(await listed()).toEqual(before);
});

test('a key without selected workspaces reaches all workspaces', async () => {
  const key = shownKey((await admin.post('/keys/new', { name: 'Everywhere' })).html);
  expect(await statusWith(key, '/api/v1/api-keys')).toBe(200);
});

test('a deciding key for all workspaces can manage the same members as its creator', async () => {
  const owner = await aMember(bed, 'owner');
  const reviewer = await aMember(bed, 'member');
  const ofAdmin = shownKey((await admin.post('/keys/new', { name: 'Of an admin', decide: 'yes' })).html);
  const ofOwner = shownKey((await owner.post('/keys/new', { name: 'Of an owner', decide: 'yes' })).html);
  const permissions = { approvals: { decide: true } };
  const heir = (await answerTo(ofAdmin, 'POST', '/api/v1/api-keys', { name: 'Heir', permissions })).body.plainKey;

  for (const key of [ofAdmin, heir]) {
    const asked = async (method: string, path: string, body?: object) =>
      (await answerTo(key, method, `/api/v1/members${path}`, body)).status;
    expect(await asked('GET', '')).toBe(200);
    const invited = await answerTo(key, 'POST', '/api/v1/members', { name: 'New', email: `${key.slice(-8)}@example.com`, role: 'admin' });
    expect(invited.status).toBe(201);
    expect(await asked('POST', `/${invited.body.member.id}/invite`)).toBe(200);
    expect(await asked('PATCH', `/${reviewer.id}`, { role: 'viewer' })).toBe(200);
    expect(await asked('POST', '', { name: 'Boss', email: 'boss@example.com', role: 'owner' })).toBe(403);
    expect(await asked('PATCH', `/${reviewer.id}`, { role: 'owner' })).toBe(403);
    expect(await asked('PATCH', `/${owner.id}`, { name: 'Nobody' })).toBe(403);
    expect(await asked('DELETE', `/${owner.id}`)).toBe(403);
    expect(await asked('POST', `/${owner.id}/invite`)).toBe(403);
    await bed.patient('memberships').where({ user_id: reviewer.id }).update({ joined_at: new Date() });
    expect(await asked('POST', `/${reviewer.id}/invite`)).toBe(403);
    expect(await asked('PATCH', '/00000000-0000-4000-8000-000000000000', { role: 'owner' })).toBe(404);
  }
  expect((await answerTo(ofOwner, 'PATCH', `/api/v1/members/${reviewer.id}`, { role: 'owner' })).status).toBe(200);
});

test('an owner can create a deciding key for all workspaces only after a recent sign-in', async () => {
  const owner = await aMember(bed, 'owner');
  await bed
    .patient('member_sessions')
    .where({ user_id: owner.id })
    .update({ created_at: bed.patient.raw("now() - interval '20 minutes'") });
  const before = await listed();
  const stale = await owner.post('/keys/new', { name: 'Another', decide: 'yes' });
  expect([stale.status, stale.text]).toEqual([401, expect.stringContaining('Sign in again')]);
  expect(await listed()).toEqual(before);
  expect((await owner.post('/keys/new', { name: 'It decides nothing' })).status).toBe(200);
});

test('a viewer sees the keys without forms', async () => {
  const viewer = await aMember(bed, 'viewer');
  const { text } = await viewer.get('/keys');
  expect(text).toContain('All workspaces');
  expect(text).not.toMatch(/New key|Delete/);
});
