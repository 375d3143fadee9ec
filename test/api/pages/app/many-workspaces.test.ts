import { createOrg } from '../../../../commands/access/create-org.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';

let bed: ApiBed;
let admin: AppMember;
let lastId: string;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
  await bed.patient.raw(
    `insert into workspaces (org_id, name, slug, created_at)
       select :orgId, 'Shop ' || n, 'shop-' || n, now() + n * interval '1 millisecond' from generate_series(1, 1200) n`,
    { orgId: bed.orgId },
  );
  lastId = (await bed.patient('workspaces').where({ slug: 'shop-1200' }).first()).id;
});
afterAll(() => bed.close());

const selectOf = (html: string, id: string) => new RegExp(`<select id="${id}"[^>]*>([\\s\\S]*?)</select>`).exec(html)![1]!;

test('"Go to…" finds a workspace that the banner does not list, even without scripts', async () => {
  const home = (await admin.get('')).html;
  expect(selectOf(home, 'workspace')).not.toContain(lastId);
  expect(selectOf(home, 'workspace')).toMatch(/<option disabled>Others: find them with "Go to…"/);
  expect((await admin.get('/go?q=shop+1200')).html).toContain(`<a href="/app/workspaces/${lastId}"><bdi>Shop 1200</bdi>, workspace</a>`);
  const { html } = await admin.get(`/workspaces/${lastId}`);
  const [, href] = /<a class="button" href="\/app([^"]*)">Show only this workspace<\/a>/.exec(html)!;
  const selected = await admin.get(href!);
  expect(selected.status).toBe(200);
  expect(selectOf(selected.html, 'workspace')).toContain(`<option value="${lastId}" selected>Shop 1200</option>`);
  expect(selected.html).toContain(`href="/app/approvals?workspace=${lastId}"`);
  expect((await admin.get(`/workspaces/${lastId}?workspace=${lastId}`)).text).not.toContain('Show only this workspace');
});

test('"Go to…" finds a limited number of records by name, or one record by its id', async () => {
  const { personId, connectionId } = await connectedRecords(bed, 'Ada Lovelace');
  const found = async (text: string) => {
    const { html } = await admin.get(`/go?${new URLSearchParams({ q: text })}`);
    return [...html.matchAll(/<li><a href="\/app([^"]+)"><bdi>([^<]*)<\/bdi>(?:, ([^<]*))?/g)].map(([, path, name, kind]) => ({
      path,
      name,
      kind,
    }));
  };
  const [person, connection] = [`/people/${personId}`, `/connections/${connectionId}`];
  expect(await found('lovelace')).toEqual(expect.arrayContaining([person, connection].map((path) => expect.objectContaining({ path }))));
  for (const id of [personId, 'id of Ada Lovelace'])
    expect(await found(id)).toEqual([{ path: person, name: 'Ada Lovelace', kind: 'person' }]);
  expect(await found(connectionId)).toEqual([{ path: connection, name: 'Mail of Ada Lovelace', kind: 'connection' }]);
  expect(await found('hash-enc')).toEqual([{ path: '/integrations/hash-encode', name: 'Hash &amp; Encode', kind: 'integration' }]);
  const shops = await found('shop 1');
  expect(shops).toHaveLength(14);
  expect((await found('a')).length).toBeLessThanOrEqual(100);
});

test('forms offer the selected workspace among 1,200', async () => {
  const option = `<option value="${lastId}" selected>Shop 1200</option>`;
  // The page has the option twice: in the form and in the banner.
  expect((await admin.get(`/people/new?workspace=${lastId}`)).html.split(option)).toHaveLength(3);
  expect(selectOf((await admin.get(`/playground/action?workspace=${lastId}`)).html, 'choice-workspace')).toContain(option);
  const created = await admin.post(`/people/new?workspace=${lastId}`, { workspaceId: lastId, externalId: 'ada' });
  expect(created.status).toBe(303);
});

test('the activity log names a new workspace, and marks a deleted workspace as deleted', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Late shop', slug: 'late' });
  expect((await admin.get('/activity?type=workspace.created')).text).toMatch(/Workspace created Late shop .* Late shop /);
  await bed.api.must(200).delete(`/api/v1/workspaces/${workspace.id}`);
  expect((await admin.get('/activity?type=workspace.created')).text).toMatch(/Workspace created Late shop .* deleted /);
});

test('lists and pages of records name the last of 1,200 workspaces', async () => {
  const made = bed.api.must(201);
  await made.post('/api/v1/mcp/servers', { workspaceId: lastId, name: 'Late server' });
  await made.post('/api/v1/end-users', { workspaceId: lastId, externalId: 'late' });
  await made.post(`/api/v1/workspaces/${lastId}/integrations`, { integrationName: 'hash-encode', alias: 'late' });
  const account = { integrationName: 'mail', authMethodKey: 'token', type: 'SECRET_TEXT', secretText: 'x', scope: 'WORKSPACE' };
  await made.post('/api/v1/connections', { ...account, workspaceId: lastId, externalId: 'late', displayName: 'Late account' });
  const { apiKey } = await bed.api
    .must(200)
    .post('/api/v1/api-keys', { name: 'Late key', permissions: { scope: 'workspace', workspaceIds: [lastId] } });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Late policy', workspaceId: lastId, actionNames: ['hash'] });
  const paths = ['/servers', '/people', '/connections', '/keys', `/keys/${apiKey.id}`, '/policies', '/integrations/hash-encode'];
  for (const path of paths) expect([path, (await admin.get(path)).text.match(/Shop 1200/)?.[0]]).toEqual([path, 'Shop 1200']);
});

test('an unknown, foreign or malformed workspace id is not found', async () => {
  const { workspaceId } = await createOrg(bed.gateway, 'Another');
  for (const id of [workspaceId, crypto.randomUUID(), 'nonsense', "'--"])
    expect([id, (await admin.get(`/approvals?workspace=${encodeURIComponent(id)}`)).status]).toEqual([id, 404]);
});
