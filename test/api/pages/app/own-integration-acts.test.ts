import { GET_TASK, importTasks, type OwnBed, openOwnBed, tasksAt } from '../../integrations/own/own-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

let bed: OwnBed;
let admin: AppMember;
beforeAll(async () => {
  bed = await openOwnBed();
  admin = await aMember(bed, 'admin', { name: 'Ada' });
});
afterAll(() => bed.close());

const get = (name: string) => bed.api.get(`/api/v1/integrations/${name}`);

test('an integration can be refreshed from a pasted document', async () => {
  await importTasks(bed, 'again', tasksAt(bed.thirdParty.url));
  const missing = await admin.post('/integrations/again/refresh', {});
  expect([missing.status, missing.text]).toEqual([400, expect.stringMatching(/Nothing was saved\..*Document is required/)]);
  const document = JSON.stringify(tasksAt(bed.thirdParty.url, { actions: { get_task: GET_TASK } }));
  expect((await admin.post('/integrations/again/refresh', { document })).location).toMatch(/\/again\/changes$/);
  const { html } = await admin.get('/integrations/again/changes');
  const [, path] = /\/app(\/integrations\/again\/changes\/[0-9a-f-]{36})"/.exec(html)!;
  const reviewer = await aMember(bed, 'member');
  expect((await reviewer.get(path!)).text).not.toMatch(/Accept|Reject/);
  expect((await reviewer.post(`${path}/decide`, { decision: 'reject' })).status).toBe(403);
});

test('the page for refreshing shows the selected operations, and can change them and the headers', async () => {
  const operation = (id: string) => ({ get: { operationId: id, tags: [id], responses: { 200: { description: 'ok' } } } });
  const paths = { '/pets': operation('pets'), '/owners': operation('owners') };
  const document = { openapi: '3.1.0', info: { title: 'Pets', version: '7' }, servers: [{ url: 'https://api.example.com' }], paths };
  const seen: unknown[] = [];
  bed.thirdParty.answerWith(({ headers: { 'x-api-key': key } }) => {
    seen.push(key);
    return { status: 200, body: JSON.stringify(document) };
  });
  const source = { name: 'narrowed', url: `${bed.thirdParty.url}/openapi.json`, tags: 'pets', 'select.exclude': 'method DELETE' };
  const imported = { ...source, kind: 'openapi', refreshEverySeconds: '0', onChange: 'hold' };
  expect((await admin.post('/integrations/import', imported)).status).toBe(303);
  const { html } = await admin.get('/integrations/narrowed/refresh');
  expect(html).toMatch(/name="tags"[^>]*value="pets"/);
  expect(html).toMatch(/name="select\.exclude"[^>]*>\s*method DELETE<\/textarea>/);

  const form = { tags: 'pets', paths: '', 'select.operations': '', 'select.exclude': 'method DELETE', headers: '' };
  expect((await admin.post('/integrations/narrowed/refresh', form)).location).toMatch(/\/narrowed$/);
  const wider = await admin.post('/integrations/narrowed/refresh', { ...form, tags: 'pets, owners', headers: 'X-Api-Key: hush' });
  expect([wider.location, seen]).toEqual([expect.stringMatching(/\/narrowed\/changes$/), [undefined, undefined, 'hush']]);
  expect((await admin.get('/integrations/narrowed/changes')).text).toContain('owners');
});

test('settings can be changed; an action can be disabled and enabled', async () => {
  await importTasks(bed, 'shown', tasksAt(bed.thirdParty.url));
  const settings = { displayName: 'Our tasks', description: '', refreshEverySeconds: '0', onChange: 'block' };
  expect((await admin.post('/integrations/shown/settings', settings)).status).toBe(303);
  expect((await get('shown')).body.integration).toMatchObject({
    displayName: 'Our tasks',
    description: 'Tasks of a team.',
    onChange: 'block',
  });
  await admin.post('/integrations/shown/actions/get_task', { enabled: 'no' });
  expect((await get('shown')).body.integration.actions.get_task.enabled).toBe(false);
  expect((await admin.get('/integrations/shown')).text).toMatch(/Get a task read Off.*Turn on/);
  await admin.post('/integrations/shown/actions/get_task', { enabled: 'yes' });
  expect((await get('shown')).body.integration.actions.get_task.enabled).toBe(true);
  expect((await admin.post('/integrations/shown/actions/nothing', { enabled: 'no' })).status).toBe(404);
});

test('an integration is deleted after the page has listed what is deleted with it', async () => {
  await importTasks(bed, 'gone', tasksAt(bed.thirdParty.url));
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'gone' });
  const { text } = await admin.get('/integrations/gone/delete');
  expect(text).toMatch(/Delete Tasks\?.*Deleted with it: 1 integration of a workspace\..*Delete integration.*Keep it/);
  expect((await admin.post('/integrations/gone/delete')).location).toMatch(/\/app\/integrations$/);
  expect((await get('gone')).status).toBe(404);
});

test('a built-in or foreign integration has no pages for changes, refreshing and deletion', async () => {
  await importTasks(bed, 'private', tasksAt(bed.thirdParty.url));
  const [other] = await bed.gateway.db('orgs').insert({ name: 'Other' }).returning('id');
  const stranger = await aMember({ ...bed, orgId: other.id }, 'owner');
  for (const path of ['changes', 'refresh', 'delete']) {
    expect((await admin.get(`/integrations/http/${path}`)).status).toBe(404);
    expect((await stranger.get(`/integrations/private/${path}`)).status).toBe(404);
  }
  expect((await stranger.get('/integrations/private')).status).toBe(404);
});
