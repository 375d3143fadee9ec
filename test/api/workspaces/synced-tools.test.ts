import { aServer } from '../../support/tenant.ts';
import { checkedTenant } from '../checked-caller.ts';

type Checked = Awaited<ReturnType<typeof checkedTenant>>;
const pathOf = ({ workspaceId }: Pick<Checked, 'workspaceId'>) => `/api/v1/workspaces/${workspaceId}/integrations`;

describe("tools of a workspace's servers are synced with the workspace's integrations", () => {
  const toolsOf = async (
    tenant: Checked,
    serverId: string,
  ): Promise<
    { id: string; integrationAlias: string; actionName: string; sourceWorkspaceIntegrationId: string | null; sortOrder: number }[]
  > => (await tenant.api.must(200).get(`/api/v1/mcp/servers/${serverId}`)).tools;
  const names = (tools: { integrationAlias: string; actionName: string }[]) =>
    tools.map((tool) => `${tool.integrationAlias}.${tool.actionName}`);

  test.each(['TOOLS', 'CODE'] as const)('in %s mode, when an integration is added, limited, renamed and removed', async (mode) => {
    const tenant = await checkedTenant();
    const server = await aServer(tenant, mode, []);
    const { integration } = await tenant.api
      .must(201)
      .post(pathOf(tenant), { integrationName: 'kv-store', enabledActions: ['get', 'put'] });
    const first = await toolsOf(tenant, server.id);
    expect(names(first)).toEqual(['kv-store.get', 'kv-store.put']);
    expect(first.every((tool) => tool.sourceWorkspaceIntegrationId === integration.id)).toBe(true);

    const path = `${pathOf(tenant)}/${integration.id}`;
    await tenant.api.must(200).patch(path, { enabledActions: ['get', 'delete'], sortOrder: 7 });
    const second = await toolsOf(tenant, server.id);
    expect(names(second)).toEqual(['kv-store.delete', 'kv-store.get']);
    expect(second.find(({ actionName }) => actionName === 'get')!.id).toBe(first[0]!.id);
    expect(second.map(({ sortOrder }) => sortOrder)).toEqual([7, 7]);

    await tenant.api.must(200).patch(path, { alias: 'notes' });
    expect(names(await toolsOf(tenant, server.id))).toEqual(['notes.delete', 'notes.get']);
    await tenant.api.must(200).delete(path);
    expect(await toolsOf(tenant, server.id)).toEqual([]);
  });

  test('a new server has the tools of every configured integration', async () => {
    const tenant = await checkedTenant();
    const server = await aServer(tenant, 'TOOLS', ['kv-store', 'datetime']);
    expect(new Set(names(await toolsOf(tenant, server.id)).map((name) => name.split('.')[0]))).toEqual(new Set(['kv-store', 'datetime']));
  });

  test('a manual tool replaces the synced tool, which returns when the manual tool is removed', async () => {
    const tenant = await checkedTenant();
    const server = await aServer(tenant, 'TOOLS', []);
    const manual = { integrationName: 'kv-store', actionName: 'get', inputDefaults: { key: 'preset' } };
    const { tool } = await tenant.api.must(201).post(`/api/v1/mcp/servers/${server.id}/tools`, manual);
    const { integration } = await tenant.api
      .must(201)
      .post(pathOf(tenant), { integrationName: 'kv-store', enabledActions: ['get', 'put'] });
    expect((await toolsOf(tenant, server.id)).map(({ sourceWorkspaceIntegrationId }) => sourceWorkspaceIntegrationId)).toEqual([
      null,
      integration.id,
    ]);
    await tenant.api.must(200).delete(`/api/v1/mcp/servers/${server.id}/tools/${tool.id}`);
    expect((await toolsOf(tenant, server.id)).map(({ sourceWorkspaceIntegrationId }) => sourceWorkspaceIntegrationId)).toEqual([
      integration.id,
      integration.id,
    ]);
  });

  test('an alias is refused if manual tools use it for another integration', async () => {
    const tenant = await checkedTenant();
    const taken = await aServer(tenant, 'TOOLS', []);
    await tenant.api
      .must(201)
      .post(`/api/v1/mcp/servers/${taken.id}/tools`, { integrationName: 'datetime', actionName: 'parse_date', integrationAlias: 'box' });
    const conflict = { status: 409, body: { code: 'ALIAS_CONFLICT', details: { mcpServerIds: [taken.id] } } };
    expect(await tenant.api.post(pathOf(tenant), { integrationName: 'kv-store', alias: 'box' })).toMatchObject(conflict);
    const { integration } = await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'kv-store' });
    expect(await tenant.api.patch(`${pathOf(tenant)}/${integration.id}`, { alias: 'box' })).toMatchObject(conflict);
    await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'datetime', alias: 'box' });
  });

  test('integrations and servers that are created at the same time are synced', async () => {
    const tenant = await checkedTenant();
    await Promise.all([
      ...['datetime', 'kv-store', 'hash-encode'].map((integrationName) => tenant.api.must(201).post(pathOf(tenant), { integrationName })),
      ...['a', 'b', 'c'].map((name) => tenant.api.must(201).post('/api/v1/mcp/servers', { name, workspaceId: tenant.workspaceId })),
    ]);
    const { servers } = await tenant.api.must(200).get('/api/v1/mcp/servers');
    const counts = await Promise.all(servers.map(async ({ id }: { id: string }) => (await toolsOf(tenant, id)).length));
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeGreaterThanOrEqual(11);
  });
});
