import { KEPT_JSON_MAX_BYTES, PARTIAL } from '../../../domain/limits.ts';
import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aPartial, aWorkspace, PARTIALS } from './partial-bed.ts';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

let count = 0;

test.each([
  ['no name', { name: undefined }, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ['name']],
  ['a description of 501 characters', { description: 'x'.repeat(501) }, ['description']],
  ['values that are a list', { values: [1] }, ['values']],
  ['an enforced key without a value', { values: { a: 1 }, enforcedKeys: ['a', 'b'] }, ['enforcedKeys.1']],
  ['an enforced key named like an inherited property', { enforcedKeys: ['toString'] }, ['enforcedKeys.0']],
  ['an action and a trigger', { actionName: 'put', triggerName: 'on_put' }, ['triggerName']],
  ['an isDefault that is not a boolean', { isDefault: 'yes' }, ['isDefault']],
  ['an invalid alias', { integrationAlias: 'A B' }, ['integrationAlias']],
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

test('names of 1 and 100 characters and a description of 500 characters are accepted', async () => {
  const workspaceId = await aWorkspace(api);
  for (const name of ['x', 'x'.repeat(100)]) await aPartial(api, { workspaceId, name, description: 'd'.repeat(500) });
});

describe('the partials of a workspace are limited', () => {
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
    const workspaceId = await aWorkspace(api);
    await fill(workspaceId, PARTIAL.maxOfWorkspace - 1, 10);
    expect((await post(workspaceId)).status).toBe(201);
    expect(await post(workspaceId)).toMatchObject({ ...full, body: { ...full.body, details: { quota: PARTIAL.maxOfWorkspace } } });
    expect((await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).total).toBe(PARTIAL.maxOfWorkspace);
  });

  test('in size, also for changes', async () => {
    const workspaceId = await aWorkspace(api);
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
