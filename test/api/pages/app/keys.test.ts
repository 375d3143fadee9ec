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

test('a key is created with the chosen rights, shown once, used, and deleted; the trail says by whom', async () => {
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

test.each([
  ['without a name', {}, 'Name is missing'],
  ['with a day that is over', { name: 'x', expires: '2020-01-01' }, 'Expires is over already'],
  ['with no day', { name: 'x', expires: 'soon' }, 'Expires'],
  ['with a workspace of nobody', { name: 'x', workspaces: 'nobody' }, 'Workspaces'],
])('%s nothing is created, and what was typed stays', async (_, typed, problem) => {
  const before = await listed();
  const { status, html, text } = await admin.post('/keys/new', { ...typed, decide: 'yes' });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect(html).toMatch(/name="decide"[^>]* checked/);
  expect(await listed()).toEqual(before);
});

test('without workspaces the key reaches all of them', async () => {
  const key = shownKey((await admin.post('/keys/new', { name: 'Everywhere' })).html);
  expect(await statusWith(key, '/api/v1/api-keys')).toBe(200);
});

test('a viewer sees the keys and nothing to change them', async () => {
  const viewer = await aMember(bed, 'viewer');
  const { text } = await viewer.get('/keys');
  expect(text).toContain('All workspaces');
  expect(text).not.toMatch(/New API key|Delete/);
});
