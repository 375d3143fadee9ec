import type { ApiBed } from '../api-bed.ts';
import { withWorkspaceKey } from '../checked-caller.ts';
import { openAccountsBed } from './accounts-bed.ts';

const PATH = '/api/v1/connections';

let bed: ApiBed;
let count = 0;
beforeAll(async () => {
  bed = await openAccountsBed();
});
afterAll(() => bed.close());

const create = async (more: object = {}): Promise<string> => {
  const body = { integrationName: 'chat', externalId: `account-${++count}`, type: 'SECRET_TEXT', secretText: 's3cret', ...more };
  return (await bed.api.must(201).post(PATH, body)).connection.id;
};
const configure = async (connectionId: string, alias: string, workspaceId = bed.workspaceId) => {
  const body = { integrationName: 'chat', alias, connectionId };
  return (await bed.api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, body)).integration;
};
const surfaceVersion = async () => (await bed.gateway.db('workspaces').where({ id: bed.workspaceId }).first()).surface_version;

test('a deleted connection no longer exists; a second deletion finds nothing', async () => {
  const id = await create();
  expect(await bed.api.must(200).delete(`${PATH}/${id}`)).toEqual({ deleted: true, id });
  expect(await bed.api.delete(`${PATH}/${id}`)).toMatchObject({ status: 404, body: { code: 'CONNECTION_NOT_FOUND' } });
  expect(await bed.api.get(`${PATH}?id=${id}`)).toMatchObject({ status: 404, body: { code: 'CONNECTION_NOT_FOUND' } });
});

test.each([
  ['an organization-wide connection', {}],
  ["a workspace's connection", { scope: 'WORKSPACE' }],
])('deleting %s removes it from instances and tools that use it, and invalidates cached tool lists', async (_, owner) => {
  const { workspaceId } = bed;
  const id = await create({ ...owner, workspaceId });
  const instance = await configure(id, `chat-${count}`);
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'x', workspaceId });
  const tool = { integrationName: 'chat', integrationAlias: `own-${count}`, actionName: 'send', connectionId: id };
  await bed.api.must(201).post(`/api/v1/mcp/servers/${server.id}/tools`, tool);
  const before = await surfaceVersion();
  await bed.api.must(200).delete(`${PATH}/${id}`);
  const { integrations } = await bed.api.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`);
  expect(integrations.find((one: { id: string }) => one.id === instance.id)).toMatchObject({ connectionId: null, connectionStatus: null });
  const { tools } = await bed.api.must(200).get(`/api/v1/mcp/servers/${server.id}`);
  const manual = tools.find(({ integrationAlias }: { integrationAlias: string }) => integrationAlias === `own-${count}`);
  expect(manual).toMatchObject({ actionName: 'send', connectionId: null });
  expect(await surfaceVersion()).toBeGreaterThan(before);
});

test('pending approvals that use the connection are canceled with the reason; others stay pending', async () => {
  const { workspaceId } = bed;
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask', integrationNames: ['chat'] });
  const gated = [];
  for (const externalId of ['going', 'staying']) {
    const id = await create({ externalId });
    const call = { workspaceId, integrationName: 'chat', actionName: 'send', input: { to: 'ada' } };
    const { alias } = await configure(id, externalId);
    const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', { ...call, integrationAlias: alias });
    gated.push({ id, approvalId: approval.id });
  }
  await bed.api.must(200).delete(`${PATH}/${gated[0]!.id}`);
  const [gone, kept] = await Promise.all(
    gated.map(async ({ approvalId }) => (await bed.api.must(200).get(`/api/v1/approvals/${approvalId}`)).approval),
  );
  expect(gone).toMatchObject({ status: 'canceled', decidedByType: 'system', decisionReason: 'The connection was deleted.' });
  expect(kept).toMatchObject({ status: 'pending' });
});

test('deleting a connection during the configuration of an instance leaves no reference', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await create();
    const alias = `raced-${round}`;
    const [added, removed] = await Promise.all([
      bed.api.post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'chat', alias, connectionId: id }),
      bed.api.delete(`${PATH}/${id}`),
    ]);
    expect(removed.status).toBe(200);
    expect([201, 404]).toContain(added.status);
    expect(await bed.gateway.db('workspace_integrations').where({ connection_id: id })).toEqual([]);
  }
});

test('of ten concurrent deletions, one succeeds', async () => {
  const id = await create();
  const answers = await Promise.all(Array.from({ length: 10 }, () => bed.api.delete(`${PATH}/${id}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
});

test('a workspace key can delete connections of its workspace, but not of the organization', async () => {
  const here = await withWorkspaceKey(bed);
  await here.must(200).delete(`${PATH}/${await create({ scope: 'WORKSPACE', workspaceId: bed.workspaceId })}`);
  expect(await here.delete(`${PATH}/${await create()}`)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
});
