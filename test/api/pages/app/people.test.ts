import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
});
afterAll(() => bed.close());

const idOf = (location: string | null) => /\/app\/people\/([0-9a-f-]{36})$/.exec(location ?? '')![1]!;
const aPerson = async (fields: object) => idOf((await admin.post('/people/new', { workspaceId: bed.workspaceId, ...fields })).location);

test('a person is created, changed, and deleted after the page has listed what breaks', async () => {
  expect((await admin.get('/people')).text).toMatch(/No people yet\./);
  const id = await aPerson({ externalId: 'user-42', displayName: 'Ada', email: 'ada@example.com' });
  expect((await admin.get(`/people/${id}`)).text).toMatch(/Ada is created\..*External id user-42 E-mail ada@example\.com/);
  expect((await admin.get('/people')).text).toMatch(/Ada user-42 \S+ ada@example\.com 0/);

  expect((await admin.post(`/people/${id}/settings`, { displayName: 'Ada L.', email: '' })).status).toBe(303);
  expect((await bed.api.must(200).get(`/api/v1/end-users/${id}`)).endUser).toMatchObject({ displayName: 'Ada L.', email: null });
  const wrong = await admin.post(`/people/${id}/settings`, { displayName: 'x', email: 'no address' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*E-mail.*Accounts.*Access/)]);

  expect((await admin.get(`/people/${id}/delete`)).text).toMatch(
    /Delete Ada L\.\?.*No call was made for this person.*Delete person Keep it/,
  );
  expect((await admin.post(`/people/${id}/delete`)).location).toMatch(/\/app\/people$/);
  expect((await admin.get(`/people/${id}`)).status).toBe(404);
});

test('a connect link opens the person’s portal, and is shown only once', async () => {
  const id = await aPerson({ externalId: 'user-43', displayName: 'Grace' });
  const made = await admin.post(`/people/${id}/connect-link`);
  expect([made.status, made.text]).toEqual([
    200,
    expect.stringMatching(/Make a connect link.*Copy it now.*With this link Grace can connect accounts/),
  ]);
  const link = /readonly value="([^"]+)"/.exec(made.html)![1]!;
  const { pathname, search, searchParams } = new URL(link);
  expect((await fetch(bed.apiUrl + pathname + search)).status).toBe(200);
  expect((await admin.get(`/people/${id}`)).html).not.toContain(searchParams.get('token'));
});

test('without SMTP, an invitation is shown instead of mailed; a person without an address cannot be invited', async () => {
  const id = await aPerson({ externalId: 'user-44', displayName: 'Grace', email: 'g@example.com' });
  expect((await admin.get(`/people/${id}`)).html).toContain(`action="/app/people/${id}/invite"`);
  const { status, html, text } = await admin.post(`/people/${id}/invite`);
  expect([status, text]).toEqual([
    200,
    expect.stringMatching(/Invite.*Copy it now.*The link was not mailed\. Send it to this person yourself\./),
  ]);
  const { pathname, search } = new URL(/readonly value="([^"]+)"/.exec(html)![1]!);
  expect((await fetch(bed.apiUrl + pathname + search)).status).toBe(200);

  const nameless = await aPerson({ externalId: 'user-45' });
  const page = await admin.get(`/people/${nameless}`);
  expect(page.html).toMatch(/<button type="button" class="button" disabled aria-describedby="[^"]+">Invite/);
  expect((await admin.post(`/people/${nameless}/invite`)).status).toBe(400);
});

test('the page of a person lists accounts and access tokens; a viewer sees no forms', async () => {
  const { personId } = await connectedRecords(bed);
  const { server } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Desk', workspaceId: bed.workspaceId, authMode: 'bearer' });
  await bed.api.must(201).post(`/api/v1/mcp/servers/${server.id}/access-tokens`, { endUserId: 'id of Ada' });
  const { text } = await (await aMember(bed, 'viewer')).get(`/people/${personId}`);
  expect(text).toMatch(/Accounts.*Mail of Ada Mail Works.*Access.*mcp_\S+… Desk Never/);
  expect(text).not.toMatch(/Make a connect link|Invite|Delete|Save/);
});

test('people can be found by text and by workspace', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Other', slug: 'other' });
  await aPerson({ workspaceId: workspace.id, externalId: 'user-99', displayName: 'Radia Perlman', email: 'radia@example.com' });
  for (const text of ['perl', 'USER-99', 'RADIA@']) expect((await admin.get(`/people?text=${text}`)).text).toContain('Radia Perlman');
  expect((await admin.get(`/people?workspace=${workspace.id}`)).text).toContain('Radia Perlman');
  expect((await admin.get(`/people?workspace=${bed.workspaceId}`)).text).not.toContain('Radia Perlman');
  expect((await admin.get('/people?text=nobody%00here')).text).toContain('Nothing matches these filters.');
});

test.each([
  ['without an external id', { externalId: '' }, 'External id is missing'],
  ['with a used external id', { externalId: 'taken' }, 'External id is taken in this workspace'],
  ['with an invalid e-mail address', { externalId: 'x', email: 'x' }, 'E-mail'],
  ['in an unknown workspace', { externalId: 'x', workspaceId: '00000000-0000-4000-8000-000000000000' }, 'Workspace is not one of your'],
  ['with a name of 10 kB', { externalId: 'x', displayName: 'w'.repeat(10_000) }, 'Display name'],
])('%s, no person is created', async (_, wrong, problem) => {
  await bed.api.post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'taken' });
  const { status, text } = await admin.post('/people/new', { workspaceId: bed.workspaceId, displayName: 'Typed', ...wrong });
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
});
