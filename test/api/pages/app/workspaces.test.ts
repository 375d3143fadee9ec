import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';

const HOSTILE = `<script>x</script>\u202Egnp.exe ${'w'.repeat(120)}`;

let bed: ApiBed;
let admin: AppMember;
let viewer: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  [admin, viewer] = [await aMember(bed, 'admin'), await aMember(bed, 'viewer')];
});
afterAll(() => bed.close());

const idOf = (location: string | null) => /\/app\/workspaces\/([0-9a-f-]{36})$/.exec(location ?? '')![1]!;

test('a workspace is created, renamed, and deleted after the page has listed what breaks', async () => {
  const created = await admin.post('/workspaces/new', { name: 'Customer support', slug: '' });
  expect(created.status).toBe(303);
  const id = idOf(created.location);
  expect((await admin.get(`/workspaces/${id}`)).text).toMatch(/Customer support is created\..*Slug customer-support/);

  const renamed = await admin.post(`/workspaces/${id}/settings`, { name: 'Support', slug: 'help' });
  expect([renamed.status, idOf(renamed.location)]).toEqual([303, id]);
  expect((await bed.api.must(200).get(`/api/v1/workspaces/${id}`)).workspace).toMatchObject({ name: 'Support', slug: 'help' });
  expect((await admin.get('/workspaces')).text).toContain('Support help');

  await bed.api.must(201).post('/api/v1/end-users', { workspaceId: id, externalId: 'ada' });
  const asked = await admin.get(`/workspaces/${id}/delete`);
  expect(asked.text).toMatch(
    /Delete Support\?.*Deleted with it: 1 person\. No call ran in this workspace in the last 7 days\..*Delete workspace Keep it/,
  );
  expect((await admin.post(`/workspaces/${id}/delete`)).location).toMatch(/\/app\/workspaces$/);
  expect((await admin.get(`/workspaces/${id}`)).status).toBe(404);
});

test.each([
  ['without a name', { name: '', slug: 'x' }, 'Name is missing'],
  ['with an invalid slug', { name: 'x', slug: 'A b' }, 'Slug must hold only'],
  ['with a name that gives no slug', { name: '東京' }, 'Slug can’t be made from this name'],
  ['with a used slug', { name: 'x', slug: 'default' }, 'Slug is taken by another workspace'],
])('%s, nothing is created and the form keeps its values', async (_, typed: Record<string, string>, problem) => {
  await bed.api.post('/api/v1/workspaces', { name: 'Default', slug: 'default' });
  const { total } = await bed.api.must(200).get('/api/v1/workspaces');
  const { status, text, html } = await admin.post('/workspaces/new', typed);
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect(html).toContain('aria-invalid="true"');
  if (typed.name) expect(html).toContain(`value="${typed.name}"`);
  expect((await bed.api.must(200).get('/api/v1/workspaces')).total).toBe(total);
});

test('an invalid change shows the workspace’s page again, with an alert', async () => {
  const { status, text } = await admin.post(`/workspaces/${bed.workspaceId}/settings`, { name: '', slug: 'x' });
  expect([status, text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Name is missing.*MCP servers.*Settings/)]);
});

test('workspaces can be filtered by text and by the workspace in the banner; an empty result says so', async () => {
  await admin.post('/workspaces/new', { name: 'Zebra crossing', slug: 'zebra' });
  expect((await admin.get('/workspaces?text=BRA+cro')).text).toContain('Zebra crossing');
  const other = await admin.get(`/workspaces?workspace=${bed.workspaceId}`);
  expect(other.html).not.toMatch(/<th role="rowheader"[^>]*>\s*<a [^>]*>Zebra crossing/);
  for (const text of ['nowhere', '%00nowhere', '%25', "'", '\\']) {
    const { status, text: shown } = await admin.get(`/workspaces?text=${encodeURIComponent(text)}&page=99999`);
    expect([text, status, shown]).toEqual([text, 200, expect.stringContaining('Nothing matches these filters.')]);
  }
});

test('hostile names are shown as text', async () => {
  const id = idOf((await admin.post('/workspaces/new', { name: HOSTILE, slug: 'hostile' })).location);
  for (const path of ['/workspaces', `/workspaces/${id}`, `/workspaces/${id}/delete`]) {
    const { status, html } = await admin.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(html).not.toContain('<script>x');
    // Only form values may contain hostile characters, because they are the user's own input.
    expect(html.replaceAll(/value="[^"]*"/g, '')).not.toContain('\u202E');
  }
});

test('an integration with storage can be set to share its data in the workspace', async () => {
  const all = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  const { integration } = await bed.api.must(201).post(all, { integrationName: 'kv-store', alias: 'notes' });
  const path = `/workspaces/${bed.workspaceId}/integrations/notes`;
  expect((await admin.get(path)).text).toContain('Keeps what is stored For each person For the workspace');
  const form = { alias: 'notes', connectionStrategy: 'fixed', allowed: 'all', state: 'workspace' };
  expect((await admin.post(`${path}/settings`, form)).status).toBe(303);
  const stored = await bed.patient('workspace_integrations').where({ id: integration.id }).first();
  expect(stored.settings.persistence).toEqual({ scope: 'workspace' });
  await bed.api.must(200).delete(`${all}/${integration.id}`);
});

test('a viewer sees a workspace without forms', async () => {
  const { alias } = await connectedRecords(bed);
  const { text } = await viewer.get(`/workspaces/${bed.workspaceId}`);
  expect(text).toMatch(/Integrations.*Post of Ada.*post.*Mail for all of Ada.*Works.*People.*Ada.*Connections.*Mail of Ada/);
  expect(text).not.toMatch(/Delete|Save|New person|Connect an account|Add an integration/);
  const instance = await viewer.get(`/workspaces/${bed.workspaceId}/integrations/${alias}`);
  expect(instance.text).toMatch(/Post of Ada.*Send.*Allowed.*No presets yet/);
  expect(instance.text).not.toMatch(/Remove|Save/);
});

describe('an integration in a workspace', () => {
  const path = () => `/workspaces/${bed.workspaceId}/integrations/post`;
  const instance = async () => (await bed.api.must(200).get(`/api/v1/workspaces/${bed.workspaceId}/integrations`)).integrations[0];
  const settings = async () => ({
    alias: 'post',
    displayName: 'Post',
    connectionStrategy: 'fixed',
    connectionId: (await instance()).connectionId,
  });

  test('can be limited to some actions, disabled, enabled and renamed', async () => {
    const some = await admin.post(`${path()}/settings`, { ...(await settings()), allowed: 'some', enabledActions: 'send' });
    expect([some.status, (await instance()).enabledActions]).toEqual([303, ['send']]);
    await admin.post(`${path()}/settings`, { ...(await settings()), allowed: 'none' });
    expect((await instance()).enabledActions).toEqual([]);
    expect((await admin.get(path())).text).toMatch(/This integration is turned off.*Turned off/);
    const renamed = await admin.post(`${path()}/settings`, { ...(await settings()), alias: 'letters', allowed: 'all' });
    expect(renamed.location).toMatch(/integrations\/letters$/);
    expect(await instance()).toMatchObject({ alias: 'letters', enabledActions: null, displayName: 'Post' });
    await admin.post(`${path().replace('post', 'letters')}/settings`, { ...(await settings()), allowed: 'all' });
  });

  test('requires an account for the strategy fixed; the error names the invalid field', async () => {
    const { connectionId: _, ...typed } = await settings();
    const { status, text } = await admin.post(`${path()}/settings`, { ...typed, allowed: 'all' });
    expect([status, text]).toEqual([400, expect.stringMatching(/Nothing was saved\. Connection is required/)]);
    const foreign = { ...typed, connectionId: bed.workspaceId, allowed: 'all' };
    expect((await admin.post(`${path()}/settings`, foreign)).text).toMatch(/Connection is not an account of this workspace/);
  });

  test('an integration shows its presets, and is removed after the page has listed what breaks', async () => {
    const values = { values: { to: 'us@example.com', subject: 'Hello' }, enforcedKeys: ['to'] };
    await bed.api.must(201).post('/api/v1/partials', {
      workspaceId: bed.workspaceId,
      integrationName: 'mail',
      integrationAlias: 'post',
      name: 'Only us',
      ...values,
    });
    const { text, html } = await admin.get(path());
    expect(text).toMatch(/Only us All to, subject subject/);
    expect(html).not.toContain('us@example.com');
    expect((await admin.get(`${path()}/remove`)).text).toMatch(
      /Remove Post\? It leaves the workspace Default\. .*Deleted with it: 1 preset\..*Remove integration Keep it/,
    );
    expect((await admin.post(`${path()}/remove`)).status).toBe(303);
    expect((await admin.get(path())).status).toBe(404);
  });
});

test('an integration without a display name has the same name on its page and when it is removed', async () => {
  const place = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  await bed.api.must(201).post(place, { integrationName: 'kv-store', alias: 'notes' });
  const path = `/workspaces/${bed.workspaceId}/integrations/notes`;
  expect((await admin.get(path)).html).toMatch(/<h1[^>]*>State KV<\/h1>/);
  expect((await admin.get(`${path}/remove`)).text).toMatch(
    /Remove State KV\? It leaves the workspace Default\. Its alias there is notes\./,
  );
  const { location } = await admin.post(`${path}/remove`);
  expect((await admin.get(location!.replace('/app', ''))).text).toContain('State KV is removed.');
});
