import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: ApiBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
});
afterAll(() => bed.close());

const added = (name: string, fields: Record<string, string>) =>
  admin.post(`/integrations/${name}/add`, { workspaceId: bed.workspaceId, alias: '', connectionStrategy: 'fixed', ...fields });
const instances = async () => (await bed.api.must(200).get(`/api/v1/workspaces/${bed.workspaceId}/integrations`)).integrations;

test('the catalogue can be searched by name, by action description and by category', async () => {
  const rows = async (query: string) => [...(await admin.get(`/integrations?${query}`)).html.matchAll(/<th role="rowheader".*?<\/a>/gs)];
  expect((await rows('q=gith'))[0]![0]).toContain('GitHub');
  expect((await rows('q=digest+of+a+text')).map(([row]) => row).join()).toContain('Hash &amp; Encode');
  const ofFinance = await admin.get('/integrations?category=FINANCE');
  expect([ofFinance.text.includes('Stripe'), ofFinance.text.includes('GitHub')]).toEqual([true, false]);
  expect((await admin.get('/integrations?q=xyzzyq')).text).toContain('Nothing matches these filters.');
  expect((await admin.get('/integrations?category=NONSENSE')).status).toBe(200);
  expect((await admin.get('/integrations')).text).toMatch(/Next page/);
});

test('the page of an integration says how to connect an account and how the integration was tested', async () => {
  const { text } = await admin.get('/integrations/github');
  expect(text).toMatch(
    /GitHub.*Developer tools.*Sign in with GitHub.*Nobody has run it against the real service\. Checked on 23 November 2026/,
  );
  const one = await admin.get('/integrations/hash-encode?action=uuid');
  expect(one.text).toMatch(/None needed.*Generate UUID/);
  expect(one.text).not.toContain('Decode');
  expect((await admin.get('/integrations/hash-encode?action=xyzzy')).text).toContain('Nothing matches these filters.');
  expect((await admin.get('/integrations/hash-encode')).text).toMatch(/algorithm.*optional.*One of: sha256/);
});

test('an integration can be added to a workspace, and the page lists this use', async () => {
  expect((await added('hash-encode', { alias: 'digests' })).location).toMatch(/\/app\/integrations\/hash-encode$/);
  const { text, html } = await admin.get('/integrations/hash-encode');
  const [, instance] = /\/app(\/workspaces\/[^"]+)">digests/.exec(html)!;
  expect((await admin.get(instance!)).status).toBe(200);
  expect(text).toMatch(/Hash & Encode is added to Default as digests\..*Where it is used.*Default.*digests/);
  expect(text).toContain('Connection None needed');
  expect(await instances()).toMatchObject([{ integrationName: 'hash-encode', alias: 'digests', connectionStrategy: 'fixed' }]);
  const again = await added('hash-encode', { alias: 'digests' });
  expect([again.status, again.text]).toEqual([
    400,
    expect.stringMatching(/Nothing was saved\..*Alias is the alias of another integration/),
  ]);
});

test("adding an integration that needs an account requires a known account; end users' accounts are not offered", async () => {
  const missing = await added('mail', {});
  expect([missing.status, missing.text]).toEqual([
    400,
    expect.stringMatching(/Nothing was saved\..*Connection is required for the strategy fixed/),
  ]);
  const stranger = await added('mail', { connectionId: '00000000-0000-4000-8000-000000000000' });
  expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('Connection is not an account of that workspace')]);

  const body = { workspaceId: bed.workspaceId, integrationName: 'mail', type: 'SECRET_TEXT', secretText: 'tok' };
  const make = (more: object) => bed.api.must(201).post('/api/v1/connections', { ...body, ...more });
  await make({ externalId: 'team', displayName: 'Team mail', scope: 'WORKSPACE' });
  await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'ada' });
  await make({ externalId: 'own', displayName: 'Ada’s mail', scope: 'USER', endUserId: 'ada' });
  const { html } = await admin.get('/integrations/mail');
  const [, connect] = /\/app(\/connections\/new[^"]*)">Connect an account/.exec(html)!;
  expect((await admin.get(connect!)).html).toMatch(/<option value="mail" selected/);
  expect(html).not.toContain('Ada’s mail');
  const id = /<option value="([0-9a-f-]{36})"[^>]*>Team mail \(Default\)/.exec(html)![1]!;
  expect((await added('mail', { connectionId: id })).status).toBe(303);
  expect((await instances()).find(({ alias }: { alias: string }) => alias === 'mail')).toMatchObject({ connectionId: id });
});

test.each([
  ['a malformed alias', { alias: 'No Spaces' }, 'Alias'],
  ['an unknown workspace', { workspaceId: '00000000-0000-4000-8000-000000000000' }, 'Workspace is not one of your workspaces'],
  ['an unknown strategy', { connectionStrategy: 'magic' }, 'Connection strategy'],
])('with %s, nothing is added', async (_, fields, problem) => {
  const before = (await instances()).length;
  const { status, text } = await added('datetime', fields);
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect((await instances()).length).toBe(before);
});

test('a viewer sees the catalogue without forms; an unknown integration is not found', async () => {
  const viewer = await aMember(bed, 'viewer');
  expect((await viewer.get('/integrations')).text).not.toContain('Import an integration');
  expect((await viewer.get('/integrations/http')).text).not.toContain('Add to a workspace');
  for (const name of ['nobody', '%00', '..%2f..']) expect((await viewer.get(`/integrations/${name}`)).status).toBe(404);
});
