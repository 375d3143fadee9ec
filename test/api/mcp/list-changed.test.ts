import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { addIntegration, anOrg, aServer, type Org } from './mcp-bed.ts';

type Server = Awaited<ReturnType<typeof aServer>>;

async function aListener(server: Server) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  let heard = 0;
  let wake = () => {};
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard++;
    wake();
  });
  const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  const subscription = await client.listen({ toolsListChanged: true });
  const atLeast = async (count: number) => {
    while (heard < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { server, subscription, atLeast, heard: () => heard, close: () => client.close() };
}

const addTool = (org: Org, { id }: { id: string }, integrationAlias: string) =>
  org.rest('POST', `/mcp/servers/${id}/tools`, { integrationName: 'hash-encode', actionName: 'encode', integrationAlias });

test('a subscriber is notified only of changes in its workspace and server', async () => {
  const [org, other] = await Promise.all([anOrg(), anOrg()]);
  const [mine, foreign] = await Promise.all([aListener(await aServer(org)), aListener(await aServer(other))]);
  expect(mine.subscription.honoredFilter).toEqual({ toolsListChanged: true });
  await addIntegration(org, 'datetime');
  await mine.atLeast(1);
  const before = mine.heard();
  await addTool(org, mine.server, 'ink');
  await mine.atLeast(before + 1);
  // The other subscriber is notified only of the change in its workspace.
  await addIntegration(other, 'datetime');
  await foreign.atLeast(1);
  expect(foreign.heard()).toBe(1);
  await Promise.all([mine.close(), foreign.close()]);
});

test('a subscriber is not notified of changes that leave its server’s tool list unchanged', async () => {
  const org = await anOrg();
  const servers = [await aServer(org), await aServer(org)] as const;
  const [mine, other] = await Promise.all([aListener(servers[0]), aListener(servers[1])]);
  // Both subscriptions start first, because a change during a start always causes a notification.
  await addIntegration(org, 'hash-encode');
  await Promise.all([mine.atLeast(1), other.atLeast(1)]);
  await addTool(org, other.server, 'theirs');
  await other.atLeast(2);
  // A new server changes the workspace, but not the tool list of another server.
  await aServer(org);
  await addTool(org, mine.server, 'ours');
  await mine.atLeast(2);
  await addIntegration(org, 'datetime');
  await Promise.all([mine.atLeast(3), other.atLeast(3)]);
  expect([mine.heard(), other.heard()]).toEqual([3, 3]);
  await Promise.all([mine.close(), other.close()]);
});

test('a CODE server offers no subscription, because its tools never change', async () => {
  const server = await aServer(await anOrg(), 'CODE');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  expect(client.getServerCapabilities()?.tools?.listChanged).toBeUndefined();
  await client.close();
});
