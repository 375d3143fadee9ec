import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';
import { anInstance, aPartial, aWorkspace, PARTIALS } from './partial-bed.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

const ids = ({ partials }: { partials: { id: string }[] }) => partials.map(({ id }) => id);

test('a partial has every field; absent fields have defaults', async () => {
  const workspaceId = await aWorkspace(api);
  const { partial } = await api.must(201).post(PARTIALS, { workspaceId, integrationName: 'kv-store', name: 'Bare', values: {} });
  expect(partial).toEqual({
    id: expect.any(String),
    orgId: bed.orgId,
    workspaceId,
    integrationName: 'kv-store',
    workspaceIntegrationId: null,
    integrationAlias: null,
    actionName: null,
    triggerName: null,
    name: 'Bare',
    description: null,
    values: {},
    enforcedKeys: [],
    isDefault: false,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await api.must(200).get(`${PARTIALS}/${partial.id}`)).toEqual({ partial });
});

test('a partial can be bound to an instance by id or by alias', async () => {
  const workspaceId = await aWorkspace(api);
  const instance = await anInstance(api, workspaceId, { alias: 'notes' });
  const bound = { workspaceIntegrationId: instance.id, integrationAlias: 'notes', actionName: 'put' };
  expect(await aPartial(api, { workspaceId, workspaceIntegrationId: instance.id, actionName: 'put' })).toMatchObject(bound);
  expect(await aPartial(api, { workspaceId, integrationAlias: 'notes', actionName: 'put' })).toMatchObject(bound);
  await api.must(200).patch(`/api/v1/workspaces/${workspaceId}/integrations/${instance.id}`, { alias: 'box' });
  expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}&integrationAlias=box`)).total).toBe(2);
});

test('values can have any JSON type, and keys that the action lacks', async () => {
  const values = { key: null, unheardOf: { deep: [1, 'two', { three: true }] }, '': 'empty', 'a.b': 'dotted' };
  const partial = await aPartial(api, { actionName: 'get', values, enforcedKeys: ['unheardOf', '', 'a.b'] });
  expect(partial.values).toEqual(values);
  expect(partial.enforcedKeys).toEqual(['unheardOf', '', 'a.b']);
});

describe('the target of a partial must exist', () => {
  const cases: [string, object, number, string][] = [
    ['an unknown workspace', { workspaceId: UNKNOWN }, 404, 'NOT_FOUND'],
    ['an unknown integration', { integrationName: 'none' }, 404, 'INTEGRATION_NOT_FOUND'],
    ['an unknown action', { actionName: 'none' }, 404, 'ACTION_NOT_FOUND'],
    ['a trigger, because the integration has none', { triggerName: 'on_put' }, 404, 'TRIGGER_NOT_FOUND'],
    ['an unknown instance', { workspaceIntegrationId: UNKNOWN }, 404, 'NOT_FOUND'],
    ['an unknown alias', { integrationAlias: 'none' }, 404, 'NOT_FOUND'],
  ];
  test.each(cases)('%s', async (_, fields, status, code) => {
    const workspaceId = await aWorkspace(api);
    const answer = await api.post(PARTIALS, { workspaceId, integrationName: 'kv-store', name: 'x', values: {}, ...fields });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).total).toBe(0);
  });

  test("an instance must belong to the partial's workspace and integration", async () => {
    const [workspaceId, elsewhere] = [await aWorkspace(api), await aWorkspace(api)];
    const there = await anInstance(api, elsewhere);
    const other = await anInstance(api, workspaceId, { integrationName: 'datetime' });
    const body = { workspaceId, integrationName: 'kv-store', name: 'x', values: {} };
    expect((await api.post(PARTIALS, { ...body, workspaceIntegrationId: there.id })).body.code).toBe('NOT_FOUND');
    expect((await api.post(PARTIALS, { ...body, workspaceIntegrationId: other.id })).body.code).toBe('VALIDATION_ERROR');
  });
});

test('a name is unique within an integration and workspace, and case-sensitive', async () => {
  const workspaceId = await aWorkspace(api);
  await aPartial(api, { workspaceId, name: 'EU' });
  await aPartial(api, { workspaceId, name: 'eu' });
  await aPartial(api, { workspaceId, name: 'EU', integrationName: 'datetime' });
  await aPartial(api, { name: 'EU' });
  const body = { workspaceId, integrationName: 'kv-store', values: {} };
  expect(await api.post(PARTIALS, { ...body, name: 'EU', actionName: 'put' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  const racing = await Promise.all(Array.from({ length: 8 }, () => api.post(PARTIALS, { ...body, name: 'race' })));
  expect(racing.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  const { id } = await aPartial(api, { workspaceId });
  expect(await api.patch(`${PARTIALS}/${id}`, { name: 'EU' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
});

test('PATCH changes the given fields; enforced keys must exist in the values', async () => {
  const partial = await aPartial(api, { description: 'd', values: { a: 1, b: 2 }, enforcedKeys: ['a'] });
  const path = `${PARTIALS}/${partial.id}`;
  const { partial: changed } = await api.must(200).patch(path, { name: 'New', description: null });
  expect(changed).toEqual({ ...partial, name: 'New', description: null, updatedAt: changed.updatedAt });
  expect(await api.patch(path, { values: { b: 2 } })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'enforcedKeys.0' }] } },
  });
  expect((await api.patch(path, { enforcedKeys: ['c'] })).status).toBe(400);
  expect((await api.must(200).patch(path, { values: { c: 3 }, enforcedKeys: ['c'] })).partial).toMatchObject({
    values: { c: 3 },
    enforcedKeys: ['c'],
  });
  for (const body of [{}, { values: null }, { actionName: 'put' }, { workspaceId: UNKNOWN }, { name: '' }]) {
    expect(await api.patch(path, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  }
});

test('lists can be filtered by integration, instance, alias and action, and are paged with their total', async () => {
  const workspaceId = await aWorkspace(api);
  const instance = await anInstance(api, workspaceId, { alias: 'notes' });
  const whole = await aPartial(api, { workspaceId });
  const bound = await aPartial(api, { workspaceId, integrationAlias: 'notes', actionName: 'put' });
  const other = await aPartial(api, { workspaceId, integrationName: 'datetime' });
  const list = async (query: string) => ids(await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}&${query}`));
  expect(await list('')).toEqual([whole.id, bound.id, other.id]);
  expect(await list('integrationName=kv-store')).toEqual([whole.id, bound.id]);
  expect(await list(`workspaceIntegrationId=${instance.id}`)).toEqual([bound.id]);
  expect(await list('integrationAlias=notes')).toEqual([bound.id]);
  expect(await list('actionName=put')).toEqual([bound.id]);
  expect(await list('actionName=none')).toEqual([]);
  const page = await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}&limit=1&offset=1`);
  expect([ids(page), page.total]).toEqual([[bound.id], 3]);
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'workspaceIntegrationId=x', 'workspaceId=x']) {
    expect(await api.get(`${PARTIALS}?${query}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  }
  expect((await api.get(`${PARTIALS}?workspaceId=${UNKNOWN}`)).body.code).toBe('NOT_FOUND');
});

test('a workspace key can see and change only partials of its workspaces', async () => {
  const [mine, other] = [await aPartial(api), await aPartial(api)];
  const permissions = { scope: 'workspace', workspaceIds: [mine.workspaceId] };
  const { plainKey } = await api.must(200).post('/api/v1/api-keys', { name: 'x', permissions });
  const key = checkedCaller(bed.apiUrl, plainKey);
  expect(ids(await key.must(200).get(PARTIALS))).toEqual([mine.id]);
  for (const answer of [
    await key.get(`${PARTIALS}?workspaceId=${other.workspaceId}`),
    await key.get(`${PARTIALS}/${other.id}`),
    await key.patch(`${PARTIALS}/${other.id}`, { name: 'x' }),
    await key.delete(`${PARTIALS}/${other.id}`),
    await key.post(`${PARTIALS}/${other.id}/set-default`, { isDefault: true }),
    await key.post(PARTIALS, { workspaceId: other.workspaceId, integrationName: 'kv-store', name: 'x', values: {} }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_DENIED']);
  }
  await key.must(200).patch(`${PARTIALS}/${mine.id}`, { name: 'changed' });
});

test('a deleted partial, an unknown id and a malformed id are not found', async () => {
  const { id } = await aPartial(api);
  expect(await api.must(200).delete(`${PARTIALS}/${id}`)).toEqual({ deleted: true, id });
  for (const gone of [id, UNKNOWN, 'nonsense']) {
    for (const answer of [
      await api.get(`${PARTIALS}/${gone}`),
      await api.patch(`${PARTIALS}/${gone}`, { name: 'x' }),
      await api.delete(`${PARTIALS}/${gone}`),
      await api.post(`${PARTIALS}/${gone}/set-default`, { isDefault: true }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'PARTIAL_NOT_FOUND']);
    }
  }
});

test('deleting an instance also deletes its partials', async () => {
  const workspaceId = await aWorkspace(api);
  const instance = await anInstance(api, workspaceId);
  const bound = await aPartial(api, { workspaceId, workspaceIntegrationId: instance.id });
  await api.must(200).delete(`/api/v1/workspaces/${workspaceId}/integrations/${instance.id}`);
  expect((await api.get(`${PARTIALS}/${bound.id}`)).status).toBe(404);
});
