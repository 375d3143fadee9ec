import { aPolicy } from '../../../support/tenant.ts';
import { GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

const SECRET = {
  auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token' }],
  authenticate: { header: 'X-Token' },
};

async function aServer(mode: 'CODE' | 'TOOLS') {
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Own', workspaceId: bed.workspaceId, mode, authMode: 'bearer' });
  const ask = async (method: string, params?: object) => {
    const headers = { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(`${bed.apiUrl}/mcp/srv_${server.id}`, { method: 'POST', headers, body });
    return JSON.parse(await answer.text()).result;
  };
  return { ask, id: server.id };
}

const add = (integrationName: string, more: object = {}) =>
  bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName, ...more });
const toolNames = async (ask: Awaited<ReturnType<typeof aServer>>['ask']) =>
  (await ask('tools/list')).tools.map(({ name }: { name: string }) => name);

test('an MCP server lists, finds, declares and calls the tools of a custom integration', async () => {
  await importTasks(bed, 'mcp-tasks', tasksAt(bed.thirdParty.url));
  const [tools, code] = [await aServer('TOOLS'), await aServer('CODE')];
  await add('mcp-tasks');
  expect(await toolNames(tools.ask)).toEqual(expect.arrayContaining(['mcp-tasks__get_task', 'mcp-tasks__create_task']));
  const called = await tools.ask('tools/call', { name: 'mcp-tasks__get_task', arguments: { id: 'a' } });
  expect(called).toMatchObject({ isError: false, structuredContent: { id: 't1' } });
  const found = await code.ask('tools/call', { name: 'svc_search', arguments: { query: 'create task' } });
  expect(JSON.stringify(found.structuredContent)).toContain('create_task');
  const declared = await code.ask('tools/call', { name: 'svc_read_api', arguments: { alias: 'mcp-tasks', detail: 'full' } });
  expect(declared.structuredContent.declarations).toContain('title: string');

  const document = tasksAt(bed.thirdParty.url, { actions: { get_task: GET_TASK, list_tasks: { ...GET_TASK, displayName: 'List' } } });
  await bed.api.must(200).post(`${I}/mcp-tasks/refresh`, { document, accept: true });
  const names = await toolNames(tools.ask);
  expect(names).toContain('mcp-tasks__list_tasks');
  expect(names).not.toContain('mcp-tasks__create_task');
  await bed.api.must(200).patch(`${I}/mcp-tasks`, { actions: { list_tasks: { enabled: false } } });
  expect(await toolNames(tools.ask)).not.toContain('mcp-tasks__list_tasks');
});

test('the third party receives the secret of a connection, but the answer does not contain it', async () => {
  await importTasks(bed, 'secret-tasks', tasksAt(bed.thirdParty.url, SECRET));
  const account = {
    integrationName: 'secret-tasks',
    externalId: 'main',
    type: 'SECRET_TEXT',
    secretText: 'own-secret',
    workspaceId: bed.workspaceId,
  };
  await bed.api.must(201).post('/api/v1/connections', account);
  const partial = { workspaceId: bed.workspaceId, integrationName: 'secret-tasks', actionName: 'get_task', name: 'p', isDefault: true };
  await bed.api.must(201).post('/api/v1/partials', { ...partial, values: { id: 'preset' }, enforcedKeys: ['id'] });
  const call = { workspaceId: bed.workspaceId, integrationName: 'secret-tasks', actionName: 'get_task', input: {} };
  const done = await bed.api.must(200).post('/api/v1/actions/execute', call);
  expect(bed.thirdParty.received.at(-1)).toMatchObject({ path: '/tasks/preset', headers: { 'x-token': 'own-secret' } });
  expect(JSON.stringify(done)).not.toContain('own-secret');
  const unknown = { ...partial, actionName: 'no_such_action', values: {}, name: 'q' };
  expect((await bed.api.post('/api/v1/partials', unknown)).body.code).toBe('ACTION_NOT_FOUND');
});

test('an approval does not admit a later version of the action', async () => {
  await importTasks(bed, 'gated-tasks', tasksAt(bed.thirdParty.url));
  await aPolicy({ ...bed, api: bed.api }, { integrationNames: ['gated-tasks'] });
  const call = { workspaceId: bed.workspaceId, integrationName: 'gated-tasks', actionName: 'get_task', input: { id: 'a' } };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  await bed.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  const { receipt } = await bed.api.must(200).get(`/api/v1/approvals/${approval.id}/receipt`);
  expect(receipt.claims.definitionHash).toMatch(/^[0-9a-f]{64}$/);

  const request = { path: '/all-tasks/{id}' };
  const document = tasksAt(bed.thirdParty.url, { actions: { get_task: { ...GET_TASK, request } } });
  const { changes } = await bed.api.must(200).post(`${I}/gated-tasks/refresh`, { document });
  const changed = changes.find(({ kind }: { kind: string }) => kind === 'action_changed');
  await bed.api.must(200).post(`${I}/gated-tasks/changes/${changed.id}/accept`);
  const before = bed.thirdParty.received.length;
  const again = await bed.api.must(202).post('/api/v1/actions/execute', call);
  expect(again.approval.id).not.toBe(approval.id);
  expect(bed.thirdParty.received).toHaveLength(before);

  await bed.api.must(200).post(`/api/v1/approvals/${again.approval.id}/approve`);
  await bed.api.must(200).post('/api/v1/actions/execute', call);
  expect(bed.thirdParty.received.at(-1)!.path).toBe('/all-tasks/a');
});

test('an approval does not admit the same action at another base URL', async () => {
  await importTasks(bed, 'moved-tasks', tasksAt(bed.thirdParty.url));
  await aPolicy({ ...bed, api: bed.api }, { integrationNames: ['moved-tasks'] });
  const call = { workspaceId: bed.workspaceId, integrationName: 'moved-tasks', actionName: 'get_task', input: { id: 'a' } };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  await bed.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
  await bed.api.must(200).post(`${I}/moved-tasks/refresh`, { document: tasksAt(`${bed.thirdParty.url}/v2`), accept: true });
  expect((await bed.api.must(202).post('/api/v1/actions/execute', call)).approval.id).not.toBe(approval.id);
});

test('an integration in use can be deleted only with `force`, which deletes its connections and cancels its approvals', async () => {
  await importTasks(bed, 'used-tasks', tasksAt(bed.thirdParty.url, SECRET));
  const account = { integrationName: 'used-tasks', externalId: 'main', type: 'SECRET_TEXT', secretText: 'x', workspaceId: bed.workspaceId };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', account);
  await add('used-tasks', { alias: 'used', connectionId: connection.id });
  await aPolicy({ ...bed, api: bed.api }, { integrationNames: ['used-tasks'] });
  const call = { workspaceId: bed.workspaceId, integrationName: 'used-tasks', actionName: 'get_task', input: { id: 'a' } };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  const refused = await bed.api.delete(`${I}/used-tasks`);
  expect(refused.body).toMatchObject({ code: 'INTEGRATION_IN_USE', details: { connections: 1, workspaceIntegrations: 1, partials: 0 } });
  const { id } = (await bed.api.must(200).get(`${I}/used-tasks`)).integration;
  expect(await bed.api.must(200).delete(`${I}/used-tasks?force=true`)).toEqual({ deleted: true, id });
  expect((await bed.api.get(`${I}/used-tasks`)).status).toBe(404);
  expect((await bed.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval.status).toBe('canceled');
  const { connections } = await bed.api.must(200).get('/api/v1/connections?integrationName=used-tasks');
  expect(connections).toEqual([]);
  expect((await bed.api.post('/api/v1/actions/execute', call)).body.code).toBe('INTEGRATION_NOT_FOUND');
  expect((await bed.api.delete(`${I}/hash-encode`)).body.code).toBe('NOT_CUSTOM');
});
