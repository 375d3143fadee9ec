import { aServer } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';

async function aBareServer() {
  const tenant = await checkedTenant();
  const { id } = await aServer(tenant, 'TOOLS', []);
  return { ...tenant, serverId: id, tools: `/api/v1/mcp/servers/${id}/tools` };
}

const PARSE = { integrationName: 'datetime', actionName: 'parse_date' };

test('a tool needs no connection and no workspace integration', async () => {
  const { api, tools, serverId } = await aBareServer();
  const { tool } = await api.must(201).post(tools, PARSE);
  expect(tool).toEqual({
    id: expect.any(String),
    mcpServerId: serverId,
    ...PARSE,
    integrationAlias: 'datetime',
    toolType: 'ACTION',
    connectionId: null,
    displayName: null,
    description: null,
    inputDefaults: null,
    partialIds: [],
    sortOrder: 0,
    sourceWorkspaceIntegrationId: null,
  });
  expect((await api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools).toEqual([tool]);
});

test('an integration can have several aliases; an alias names one integration', async () => {
  const { api, tools } = await aBareServer();
  await api.must(201).post(tools, PARSE);
  await api.must(201).post(tools, {
    ...PARSE,
    integrationAlias: 'clock',
    inputDefaults: { timezone: 'UTC' },
    sortOrder: -1.5,
    displayName: 'Clock',
    description: 'd',
  });
  expect(await api.post(tools, PARSE)).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  expect(await api.post(tools, { integrationName: 'kv-store', actionName: 'get', integrationAlias: 'clock' })).toMatchObject({
    status: 409,
    body: { code: 'ALIAS_CONFLICT' },
  });
});

test('on every server, the alias of a workspace integration names this integration', async () => {
  const { api, tools, workspaceId } = await aBareServer();
  await api
    .must(201)
    .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', alias: 'box', enabledActions: [] });
  expect(await api.post(tools, { ...PARSE, integrationAlias: 'box' })).toMatchObject({ status: 409, body: { code: 'ALIAS_CONFLICT' } });
});

test('an action that the workspace integration does not enable is refused', async () => {
  const { api, tools, workspaceId, serverId } = await aBareServer();
  const refused = { status: 403, body: { code: 'ACTION_NOT_ALLOWED' } };
  await api
    .must(201)
    .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', alias: 'notes', enabledActions: ['get'] });
  const listed = async () => (await api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools;
  const before = await listed();
  const put = { integrationName: 'kv-store', integrationAlias: 'notes', actionName: 'put' };
  expect(await api.post(tools, put)).toMatchObject(refused);
  expect(await api.post(tools, { ...put, actionName: 'no_such' })).toMatchObject({ status: 404, body: { code: 'ACTION_NOT_FOUND' } });
  expect(await listed()).toEqual(before);

  const { tool } = await api.must(201).post(tools, { ...put, integrationAlias: 'free' });
  expect(await api.patch(`${tools}/${tool.id}`, { integrationAlias: 'notes' })).toMatchObject(refused);
});

test('twenty concurrent requests to add one tool create it once', async () => {
  const { api, tools } = await aBareServer();
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(tools, PARSE)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'DUPLICATE')).toHaveLength(19);
});

test('the checks run in this order: body, server, ALIAS_CONFLICT, catalogue', async () => {
  const { api, tools } = await aBareServer();
  const nowhere = tools.replace(/servers\/[^/]+/, 'servers/00000000-0000-4000-8000-000000000000');
  expect(await api.post(nowhere, {})).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(await api.post(nowhere, { integrationName: 'none', actionName: 'none' })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  await api.must(201).post(tools, { ...PARSE, integrationAlias: 'clock' });
  expect(await api.post(tools, { integrationName: 'none', actionName: 'none', integrationAlias: 'clock' })).toMatchObject({
    status: 409,
    body: { code: 'ALIAS_CONFLICT' },
  });
  expect(await api.post(tools, { integrationName: 'none', actionName: 'none' })).toMatchObject({
    status: 404,
    body: { code: 'INTEGRATION_NOT_FOUND' },
  });
  expect(await api.post(tools, { integrationName: 'datetime', actionName: 'none' })).toMatchObject({
    status: 404,
    body: { code: 'ACTION_NOT_FOUND' },
  });
});

test('unknown partials and connections are not found', async () => {
  const { api, tools } = await aBareServer();
  expect(await api.post(tools, { ...PARSE, partialIds: ['mine'] })).toMatchObject({ status: 404, body: { code: 'PARTIAL_NOT_FOUND' } });
  expect(await api.post(tools, { ...PARSE, connectionId: '11111111-1111-1111-1111-111111111111' })).toMatchObject({
    status: 404,
    body: { code: 'CONNECTION_NOT_FOUND' },
  });
});

test.each([
  ['an empty body', {}, ['integrationName', 'actionName']],
  ['a bad alias', { ...PARSE, integrationAlias: 'A' }, ['integrationAlias']],
  ['another type', { ...PARSE, toolType: 'TRIGGER' }, ['toolType']],
  ['defaults that are not an object', { ...PARSE, inputDefaults: [1] }, ['inputDefaults']],
  ['a sortOrder that is not a number', { ...PARSE, sortOrder: 'first' }, ['sortOrder']],
  ['an unknown field', { ...PARSE, mcpServerId: 'x' }, ['mcpServerId']],
])('%s is refused', async (_, body, paths) => {
  const { api, tools } = await aBareServer();
  const answer = await api.post(tools, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
});

test('PATCH changes only the fields in the request; null clears the description', async () => {
  const { api, tools } = await aBareServer();
  const { tool } = await api.must(201).post(tools, { ...PARSE, description: 'd' });
  await api.must(201).post(tools, { ...PARSE, integrationAlias: 'clock' });
  const path = `${tools}/${tool.id}`;
  const changed = await api
    .must(200)
    .patch(path, { displayName: 'Parse', inputDefaults: { timezone: 'UTC' }, partialIds: [], sortOrder: 3 });
  expect(changed.tool).toEqual({ ...tool, displayName: 'Parse', inputDefaults: { timezone: 'UTC' }, sortOrder: 3 });
  expect((await api.must(200).patch(path, { description: null, integrationAlias: 'when' })).tool).toMatchObject({
    description: null,
    integrationAlias: 'when',
  });
  expect(await api.patch(path, { integrationAlias: 'clock' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  expect(await api.patch(path, { partialIds: ['x'] })).toMatchObject({ status: 404, body: { code: 'PARTIAL_NOT_FOUND' } });
  for (const body of [{}, { displayName: null }, { actionName: 'date_math' }])
    expect(await api.patch(path, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('a synced tool keeps its own changes; a new alias makes the tool manual', async () => {
  const { api, tools, workspaceId, serverId } = await aBareServer();
  const { integration } = await api
    .must(201)
    .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', enabledActions: ['get'] });
  const list = async () => (await api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools;
  const [synced] = await list();
  await api.must(200).patch(`${tools}/${synced.id}`, { inputDefaults: { key: 'k' } });
  await api.must(200).patch(`/api/v1/workspaces/${workspaceId}/integrations/${integration.id}`, { enabledActions: ['get', 'put'] });
  expect((await list())[0]).toMatchObject({ id: synced.id, inputDefaults: { key: 'k' } });
  const renamed = await api.must(200).patch(`${tools}/${synced.id}`, { integrationAlias: 'preset' });
  expect(renamed.tool.sourceWorkspaceIntegrationId).toBeNull();
  expect(
    (await list()).map((tool: { integrationAlias: string; actionName: string }) => `${tool.integrationAlias}.${tool.actionName}`),
  ).toEqual(['kv-store.put', 'preset.get']);
});

test('a removed synced tool returns only if its action is enabled again', async () => {
  const { api, tools, workspaceId, serverId } = await aBareServer();
  const path = `/api/v1/workspaces/${workspaceId}/integrations`;
  const { integration } = await api.must(201).post(path, { integrationName: 'kv-store', enabledActions: ['get', 'put'] });
  const list = async () => (await api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools;
  const names = async () => (await list()).map(({ actionName }: { actionName: string }) => actionName);
  const put = (await list()).find(({ actionName }: { actionName: string }) => actionName === 'put');
  await api.must(200).delete(`${tools}/${put.id}`);
  for (const change of [{ displayName: 'x' }, { sortOrder: 3 }, { alias: 'box' }, { enabledActions: ['get', 'put', 'delete'] }]) {
    await api.must(200).patch(`${path}/${integration.id}`, change);
    expect(await names()).not.toContain('put');
  }
  await api.must(200).patch(`${path}/${integration.id}`, { enabledActions: ['get'] });
  await api.must(200).patch(`${path}/${integration.id}`, { enabledActions: ['get', 'put'] });
  expect((await names()).sort()).toEqual(['get', 'put']);
});

test("changing an integration's alias or position updates its tools; the tools keep their own settings", async () => {
  const { api, tools, workspaceId, serverId } = await aBareServer();
  const path = `/api/v1/workspaces/${workspaceId}/integrations`;
  const { integration } = await api.must(201).post(path, { integrationName: 'kv-store', enabledActions: ['get', 'put'] });
  const list = async () => (await api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools;
  const [get] = await list();
  const own = { displayName: 'Look up', description: 'By key', inputDefaults: { key: 'k' }, sortOrder: 9 };
  await api.must(200).patch(`${tools}/${get.id}`, own);
  await api.must(200).patch(`${path}/${integration.id}`, { alias: 'box', sortOrder: 4 });
  expect(await list()).toMatchObject([
    { actionName: 'put', integrationAlias: 'box', sortOrder: 4 },
    { id: get.id, integrationAlias: 'box', ...own },
  ]);
});

test('a tool of another server is not found', async () => {
  const { api, workspaceId, tools } = await aBareServer();
  const other = (await api.must(201).post('/api/v1/mcp/servers', { name: 'other', workspaceId })).server;
  const { tool } = await api.must(201).post(`/api/v1/mcp/servers/${other.id}/tools`, PARSE);
  expect(await api.delete(`${tools}/${tool.id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await api.patch(`${tools}/${tool.id}`, { sortOrder: 1 })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await api.must(200).delete(`/api/v1/mcp/servers/${other.id}/tools/${tool.id}`)).toEqual({ deleted: true, id: tool.id });
});
