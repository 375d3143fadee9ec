import { aFakeMcpServer, type FakeMcpServer } from '../support/mcp/fake-mcp-server.ts';
import { aTenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

const open: FakeMcpServer[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

test.each(['sessions', 'modern'] as const)(
  'when an MCP server (%s) announces a change of its tools, a pending change is stored',
  async (manner) => {
    const tool = { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } };
    const server = await aFakeMcpServer(manner, [tool]);
    open.push(server);
    const tenant = await aTenant();
    const I = '/api/v1/integrations';
    await tenant.api.must(201).post(`${I}/import`, { kind: 'mcp', name: 'changing', url: server.url, refreshEverySeconds: 0 });
    await until(() => server.listeners.size > 0);
    server.tools[0] = { ...tool, description: 'Looks and takes' };
    server.notify();
    const changes = await until(async () => {
      const found = await tenant.api.must(200).get(`${I}/changing/changes?status=pending`);
      return found.changes.length > 0 && found.changes;
    });
    expect(changes).toMatchObject([{ kind: 'action_changed', actionName: 'look', detectedBy: 'list_changed' }]);
  },
);
