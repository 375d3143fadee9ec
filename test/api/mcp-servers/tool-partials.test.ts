import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const PUT = { integrationName: 'kv-store', actionName: 'put' };

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

let count = 0;
async function aPlace() {
  const slug = `w${++count}`;
  const workspaceId: string = (await api.must(201).post('/api/v1/workspaces', { name: slug, slug })).workspace.id;
  const { server, bearerToken } = await api.must(201).post('/api/v1/mcp/servers', { name: 'x', workspaceId, authMode: 'bearer' });
  await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, {
    integrationName: 'kv-store',
    alias: 'notes',
    enabledActions: ['get', 'put'],
    settings: { persistence: { scope: 'workspace' } },
  });
  const partial = async (name: string, fields: object = {}) =>
    (await api.must(201).post('/api/v1/partials', { workspaceId, integrationName: 'kv-store', name, values: { key: name }, ...fields }))
      .partial;
  return { workspaceId, server, bearerToken, tools: `/api/v1/mcp/servers/${server.id}/tools`, partial };
}

test('a tool refers to partials by id or name; the references are stored as sent', async () => {
  const { tools, partial } = await aPlace();
  const [byId, byName] = [await partial('by id'), await partial('by name', { actionName: 'put' })];
  const partialIds = [byName.name, byId.id];
  const { tool } = await api.must(201).post(tools, { ...PUT, partialIds });
  expect(tool.partialIds).toEqual(partialIds);
  const path = `${tools}/${tool.id}`;
  expect((await api.must(200).patch(path, { partialIds: [byId.id.toUpperCase()] })).tool.partialIds).toEqual([byId.id.toUpperCase()]);
  expect((await api.must(200).patch(path, { sortOrder: 1 })).tool.partialIds).toHaveLength(1);
  expect((await api.must(200).patch(path, { partialIds: [] })).tool.partialIds).toEqual([]);
});

test('an unknown partial or a partial of another workspace is not found, by POST and by PATCH', async () => {
  const [{ tools, partial }, other] = [await aPlace(), await aPlace()];
  const known = await partial('known');
  const foreign = await other.partial('foreign');
  const { tool } = await api.must(201).post(tools, PUT);
  for (const partialId of ['Known', UNKNOWN, foreign.id, foreign.name]) {
    const expected = { status: 404, body: { code: 'PARTIAL_NOT_FOUND', details: { partialIds: [partialId] } } };
    const partialIds = [known.id, partialId];
    expect(await api.post(tools, { ...PUT, integrationAlias: 'another', partialIds })).toMatchObject(expected);
    expect(await api.patch(`${tools}/${tool.id}`, { partialIds })).toMatchObject(expected);
  }
});

test('a partial of another integration, action or instance is a mismatch', async () => {
  const { tools, partial } = await aPlace();
  await partial('of datetime', { integrationName: 'datetime' });
  await partial('of get', { actionName: 'get' });
  await partial('of notes', { integrationAlias: 'notes' });
  const { tool } = await api.must(201).post(tools, PUT);
  for (const name of ['of datetime', 'of get', 'of notes']) {
    const expected = { status: 409, body: { code: 'PARTIAL_MISMATCH', details: { partialIds: [name] } } };
    expect(await api.post(tools, { ...PUT, integrationAlias: 'another', partialIds: [name] })).toMatchObject(expected);
    expect(await api.patch(`${tools}/${tool.id}`, { partialIds: [name] })).toMatchObject(expected);
  }
});

test("a partial of an instance matches only tools under the instance's alias", async () => {
  const { server, tools, partial } = await aPlace();
  const { tools: synced } = await api.must(200).get(`/api/v1/mcp/servers/${server.id}`);
  const put = synced.find(({ actionName }: { actionName: string }) => actionName === 'put');
  await partial('of notes', { integrationAlias: 'notes' });
  await api.must(200).patch(`${tools}/${put.id}`, { partialIds: ['of notes'] });
  expect(await api.patch(`${tools}/${put.id}`, { integrationAlias: 'elsewhere' })).toMatchObject({
    status: 409,
    body: { code: 'PARTIAL_MISMATCH' },
  });
  await api.must(200).patch(`${tools}/${put.id}`, { integrationAlias: 'elsewhere', partialIds: [] });
});

test('tools keep a partial whose name changes', async () => {
  const { server, tools, partial } = await aPlace();
  const [renamed] = [await partial('old'), await partial('other')];
  await api.must(201).post(tools, { ...PUT, partialIds: ['other', 'old'] });
  await api.must(200).patch(`/api/v1/partials/${renamed.id}`, { name: 'new' });
  const { tools: all } = await api.must(200).get(`/api/v1/mcp/servers/${server.id}`);
  expect(all.find(({ integrationAlias }: { integrationAlias: string }) => integrationAlias === 'kv-store').partialIds).toEqual([
    'other',
    'new',
  ]);
});

describe('over MCP', () => {
  const call = async ({ server, bearerToken }: Awaited<ReturnType<typeof aPlace>>, method: string, params: object = {}) => {
    const answer = await fetch(`${bed.apiUrl}/mcp/srv_${server.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    return ((await answer.json()) as { result: any }).result;
  };
  const keysOf = async (place: Awaited<ReturnType<typeof aPlace>>) => {
    const { tools } = await call(place, 'tools/list');
    return Object.keys(tools.find(({ name }: { name: string }) => name === 'notes__put').inputSchema.properties);
  };

  test('every change of a partial appears in the next listing', async () => {
    const place = await aPlace();
    expect(await keysOf(place)).toEqual(['key', 'value']);
    const partial = await place.partial('preset', { isDefault: true });
    expect(await keysOf(place)).toEqual(['value']);
    await api.must(200).post(`/api/v1/partials/${partial.id}/set-default`, { isDefault: false });
    expect(await keysOf(place)).toEqual(['key', 'value']);
    await api.must(200).patch(`/api/v1/partials/${partial.id}`, { isDefault: true, values: { value: 1 } });
    expect(await keysOf(place)).toEqual(['key']);
    await api.must(200).delete(`/api/v1/partials/${partial.id}`);
    expect(await keysOf(place)).toEqual(['key', 'value']);
  });

  test('calls of a tool with a deleted partial are refused until the tool is corrected', async () => {
    const place = await aPlace();
    const partial = await place.partial('guard', { enforcedKeys: ['key'] });
    const { tools } = await api.must(200).get(`/api/v1/mcp/servers/${place.server.id}`);
    const put = tools.find(({ actionName }: { actionName: string }) => actionName === 'put');
    await api.must(200).patch(`${place.tools}/${put.id}`, { partialIds: ['guard'] });
    const send = () => call(place, 'tools/call', { name: 'notes__put', arguments: { key: 'mine', value: 1 } });
    await api.must(200).delete(`/api/v1/partials/${partial.id}`);
    expect(await send()).toMatchObject({ isError: true, structuredContent: { error: { code: 'PARTIAL_NOT_FOUND' } } });
    await api.must(200).patch(`${place.tools}/${put.id}`, { displayName: 'Still to be changed' });
    await api.must(200).patch(`${place.tools}/${put.id}`, { partialIds: [] });
    expect((await send()).isError).toBe(false);
  });
});
