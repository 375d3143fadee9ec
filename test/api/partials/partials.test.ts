import { KEPT_JSON_MAX_BYTES, PARTIAL } from '../../../domain/limits.ts';
import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';

const PARTIALS = '/api/v1/partials';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

let count = 0;
async function aWorkspace(): Promise<string> {
  const slug = `w${++count}`;
  return (await api.must(201).post('/api/v1/workspaces', { name: slug, slug })).workspace.id;
}

/** A partial of kv-store in a workspace of its own, unless that is given. */
async function aPartial(fields: { workspaceId?: string; [field: string]: unknown } = {}) {
  const workspaceId = fields.workspaceId ?? (await aWorkspace());
  const body = { workspaceId, integrationName: 'kv-store', name: `partial ${++count}`, values: { key: 'a' }, ...fields };
  return (await api.must(201).post(PARTIALS, body)).partial;
}

async function anInstance(workspaceId: string, fields: object = {}) {
  return (await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', ...fields }))
    .integration;
}

const ids = ({ partials }: { partials: { id: string }[] }) => partials.map(({ id }) => id);

test('a partial has every field, and defaults where none was sent', async () => {
  const workspaceId = await aWorkspace();
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

test('a partial is bound to an instance by its id or by its alias', async () => {
  const workspaceId = await aWorkspace();
  const instance = await anInstance(workspaceId, { alias: 'notes' });
  const bound = { workspaceIntegrationId: instance.id, integrationAlias: 'notes', actionName: 'put' };
  expect(await aPartial({ workspaceId, workspaceIntegrationId: instance.id, actionName: 'put' })).toMatchObject(bound);
  expect(await aPartial({ workspaceId, integrationAlias: 'notes', actionName: 'put' })).toMatchObject(bound);
  await api.must(200).patch(`/api/v1/workspaces/${workspaceId}/integrations/${instance.id}`, { alias: 'box' });
  expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}&integrationAlias=box`)).total).toBe(2);
});

test('values may name keys that the action does not have, of any JSON kind', async () => {
  const values = { key: null, unheardOf: { deep: [1, 'two', { three: true }] }, '': 'empty', 'a.b': 'dotted' };
  const partial = await aPartial({ actionName: 'get', values, enforcedKeys: ['unheardOf', '', 'a.b'] });
  expect(partial.values).toEqual(values);
  expect(partial.enforcedKeys).toEqual(['unheardOf', '', 'a.b']);
});

describe('what a partial is for must be there', () => {
  const cases: [string, object, number, string][] = [
    ['an unknown workspace', { workspaceId: UNKNOWN }, 404, 'NOT_FOUND'],
    ['an unknown integration', { integrationName: 'none' }, 404, 'INTEGRATION_NOT_FOUND'],
    ['an unknown action', { actionName: 'none' }, 404, 'ACTION_NOT_FOUND'],
    ['a trigger, since the integration has none', { triggerName: 'on_put' }, 404, 'ACTION_NOT_FOUND'],
    ['an unknown instance', { workspaceIntegrationId: UNKNOWN }, 404, 'NOT_FOUND'],
    ['an unknown alias', { integrationAlias: 'none' }, 404, 'NOT_FOUND'],
  ];
  test.each(cases)('%s', async (_, fields, status, code) => {
    const workspaceId = await aWorkspace();
    const answer = await api.post(PARTIALS, { workspaceId, integrationName: 'kv-store', name: 'x', values: {}, ...fields });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).total).toBe(0);
  });

  test('an instance of another workspace is not found, one of another integration is refused', async () => {
    const [workspaceId, elsewhere] = [await aWorkspace(), await aWorkspace()];
    const there = await anInstance(elsewhere);
    const other = await anInstance(workspaceId, { integrationName: 'datetime' });
    const body = { workspaceId, integrationName: 'kv-store', name: 'x', values: {} };
    expect((await api.post(PARTIALS, { ...body, workspaceIntegrationId: there.id })).body.code).toBe('NOT_FOUND');
    expect((await api.post(PARTIALS, { ...body, workspaceIntegrationId: other.id })).body.code).toBe('VALIDATION_ERROR');
  });
});

test.each([
  ['no name', { name: undefined }, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ['name']],
  ['a description of 501 characters', { description: 'x'.repeat(501) }, ['description']],
  ['values that are a list', { values: [1] }, ['values']],
  ['an enforced key without a value', { values: { a: 1 }, enforcedKeys: ['a', 'b'] }, ['enforcedKeys.1']],
  ['an enforced key that every object inherits', { enforcedKeys: ['toString'] }, ['enforcedKeys.0']],
  ['an action and a trigger', { actionName: 'put', triggerName: 'on_put' }, ['triggerName']],
  ['an isDefault that is no boolean', { isDefault: 'yes' }, ['isDefault']],
  ['an alias that can be none', { integrationAlias: 'A B' }, ['integrationAlias']],
  ['an unknown field', { scope: 'all' }, ['scope']],
])('%s is refused', async (_, fields, paths) => {
  const { body, status } = await api.post(PARTIALS, {
    workspaceId: bed.workspaceId,
    integrationName: 'kv-store',
    name: 'x',
    values: { key: 1 },
    ...fields,
  });
  expect([status, body.code, body.details.issues.map(({ path }: { path: string }) => path)]).toEqual([400, 'VALIDATION_ERROR', paths]);
});

test('a name of 1 or 100 characters and a description of 500 fit', async () => {
  const workspaceId = await aWorkspace();
  for (const name of ['x', 'x'.repeat(100)]) await aPartial({ workspaceId, name, description: 'd'.repeat(500) });
});

test('a name is taken once for an integration in a workspace, case counts; racing creates make one', async () => {
  const workspaceId = await aWorkspace();
  await aPartial({ workspaceId, name: 'EU' });
  await aPartial({ workspaceId, name: 'eu' });
  await aPartial({ workspaceId, name: 'EU', integrationName: 'datetime' });
  await aPartial({ name: 'EU' });
  const body = { workspaceId, integrationName: 'kv-store', values: {} };
  expect(await api.post(PARTIALS, { ...body, name: 'EU', actionName: 'put' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  const racing = await Promise.all(Array.from({ length: 8 }, () => api.post(PARTIALS, { ...body, name: 'race' })));
  expect(racing.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  const { id } = await aPartial({ workspaceId });
  expect(await api.patch(`${PARTIALS}/${id}`, { name: 'EU' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
});

test('PATCH changes what is given, null clears, and enforced keys are judged on the resulting state', async () => {
  const partial = await aPartial({ description: 'd', values: { a: 1, b: 2 }, enforcedKeys: ['a'] });
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

describe('one default for a target', () => {
  const defaultsOf = async (workspaceId: string) =>
    (await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).partials
      .filter(({ isDefault }: { isDefault: boolean }) => isDefault)
      .map(({ id }: { id: string }) => id);

  test('making another one the default moves it, by POST, PATCH and set-default', async () => {
    const workspaceId = await aWorkspace();
    const first = await aPartial({ workspaceId, isDefault: true });
    const second = await aPartial({ workspaceId, isDefault: true });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    expect((await api.must(200).post(`${PARTIALS}/${first.id}/set-default`, { isDefault: true })).partial.isDefault).toBe(true);
    expect(await defaultsOf(workspaceId)).toEqual([first.id]);
    await api.must(200).patch(`${PARTIALS}/${second.id}`, { isDefault: true });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    await api.must(200).post(`${PARTIALS}/${first.id}/set-default`, { isDefault: false });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    await api.must(200).post(`${PARTIALS}/${second.id}/set-default`, { isDefault: false });
    expect(await defaultsOf(workspaceId)).toEqual([]);
  });

  test('an integration, its instances and its actions each have their own', async () => {
    const workspaceId = await aWorkspace();
    const { id: workspaceIntegrationId } = await anInstance(workspaceId);
    const targets = [
      {},
      { actionName: 'put' },
      { actionName: 'get' },
      { workspaceIntegrationId },
      { workspaceIntegrationId, actionName: 'put' },
    ];
    const made = [];
    for (const target of targets) made.push((await aPartial({ workspaceId, ...target, isDefault: true })).id);
    expect(await defaultsOf(workspaceId)).toEqual(made);
  });

  test('racing claims leave exactly one', async () => {
    const workspaceId = await aWorkspace();
    const partials = await Promise.all(Array.from({ length: 6 }, () => aPartial({ workspaceId })));
    const answers = await Promise.all(partials.map(({ id }) => api.post(`${PARTIALS}/${id}/set-default`, { isDefault: true })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await defaultsOf(workspaceId)).toHaveLength(1);
  });

  test.each([[{}], [undefined], [{ isDefault: null }], [{ isDefault: true, id: 1 }]])('set-default refuses %j', async (body) => {
    const { id } = await aPartial();
    expect(await api.post(`${PARTIALS}/${id}/set-default`, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });
});

test('lists are filtered by every part of the target, and paged with their total', async () => {
  const workspaceId = await aWorkspace();
  const instance = await anInstance(workspaceId, { alias: 'notes' });
  const whole = await aPartial({ workspaceId });
  const bound = await aPartial({ workspaceId, integrationAlias: 'notes', actionName: 'put' });
  const other = await aPartial({ workspaceId, integrationName: 'datetime' });
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

test('a workspace key sees and changes the partials of its workspaces alone', async () => {
  const [mine, other] = [await aPartial(), await aPartial()];
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

test('a deleted partial, an unknown and a malformed id are not found', async () => {
  const { id } = await aPartial();
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

test('the partials of an instance go with it', async () => {
  const workspaceId = await aWorkspace();
  const instance = await anInstance(workspaceId);
  const bound = await aPartial({ workspaceId, workspaceIntegrationId: instance.id });
  await api.must(200).delete(`/api/v1/workspaces/${workspaceId}/integrations/${instance.id}`);
  expect((await api.get(`${PARTIALS}/${bound.id}`)).status).toBe(404);
});

describe('a workspace may have so many partials, and so much in them, that a call can load them all', () => {
  const fill = (workspaceId: string, many: number, bytes: number) =>
    bed.gateway.db.raw(
      `insert into partials (org_id, workspace_id, integration_name, name, "values")
       select ?, ?, 'kv-store', 'filled ' || n, json_build_object('text', repeat('a', ?)) from generate_series(1, ?) n`,
      [bed.orgId, workspaceId, bytes, many],
    );
  const post = (workspaceId: string, values: object = {}) =>
    api.post(PARTIALS, { workspaceId, integrationName: 'kv-store', name: `one more ${++count}`, values });
  const full = { status: 403, body: { code: 'QUOTA_EXCEEDED' } };

  test('in number', async () => {
    const workspaceId = await aWorkspace();
    await fill(workspaceId, PARTIAL.maxOfWorkspace - 1, 10);
    expect((await post(workspaceId)).status).toBe(201);
    expect(await post(workspaceId)).toMatchObject({ ...full, body: { ...full.body, details: { quota: PARTIAL.maxOfWorkspace } } });
    expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).total).toBe(PARTIAL.maxOfWorkspace);
  });

  test('in size, also by changing one', async () => {
    const workspaceId = await aWorkspace();
    await fill(workspaceId, PARTIAL.maxBytesOfWorkspace / KEPT_JSON_MAX_BYTES - 1, KEPT_JSON_MAX_BYTES);
    const { partial } = await api.must(201).post(PARTIALS, { workspaceId, integrationName: 'kv-store', name: 'small', values: {} });
    const large = { text: 'a'.repeat(KEPT_JSON_MAX_BYTES - 100) };
    expect(await post(workspaceId, large)).toMatchObject(full);
    expect(await api.patch(`${PARTIALS}/${partial.id}`, { values: large })).toMatchObject(full);
    expect((await api.patch(`${PARTIALS}/${partial.id}`, { description: 'still to be changed' })).status).toBe(200);
    const call = { workspaceId, integrationName: 'kv-store', actionName: 'get', input: { key: 'a' }, endUserId: 'ada' };
    expect(await api.must(200).post('/api/v1/actions/execute', call)).toMatchObject({ success: true });
  });
});
