import { openServerWatches } from '../../../../commands/integrations/watch-servers.ts';
import { aFakeMcpServer, type FakeMcpServer, type Manner } from '../../../support/mcp/fake-mcp-server.ts';
import { until } from '../../../support/until.ts';
import { I, type OwnBed, openOwnBed } from './own-bed.ts';
import type { Change } from './read-changes.ts';

const TOOL = { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } };

let bed: OwnBed;
const servers: FakeMcpServer[] = [];
beforeAll(async () => {
  bed = await openOwnBed();
});
afterEach(async () => {
  await bed.patient('custom_integrations').delete();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => bed.close());

async function aServer(tools: Record<string, unknown>[] = [TOOL], manner: Manner = 'sessions'): Promise<FakeMcpServer> {
  const server = await aFakeMcpServer(manner, tools);
  servers.push(server);
  return server;
}

const importServer = (name: string, { url }: FakeMcpServer, more: object = {}) =>
  bed.api.must(201).post(`${I}/import`, { kind: 'mcp', name, url, refreshEverySeconds: 0, ...more });

test('NUL in names and schemas of tools is removed without causing a change', async () => {
  const inputSchema = { type: 'object', properties: { 'a\u0000b': { type: 'string', enum: ['x\u0000y'] } } };
  const server = await aServer([{ name: 'lo\u0000ok', description: 'Lo\u0000oks', inputSchema }]);
  const { integration } = await importServer('odd', server);
  expect(JSON.stringify(integration)).not.toContain('\\u0000');
  expect(Object.keys(integration.actions)).toHaveLength(1);
  const refreshed = await bed.api.must(200).post(`${I}/odd/refresh`);
  expect(refreshed.changes).toEqual([]);
});

test('end users of one account have separate sessions, and so do workspaces', async () => {
  const server = await aServer();
  server.before = (request, response) => {
    if (request.headers.authorization) return false;
    response.writeHead(401).end();
    return true;
  };
  await importServer('shared', server, { fetchAuth: { type: 'bearer', token: 'of the import' } });
  const account = { integrationName: 'shared', externalId: 'all', type: 'SECRET_TEXT', secretText: 'of the account' };
  await bed.api.must(201).post('/api/v1/connections', account);
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Second', slug: 'second' });
  const callers = [
    [bed.workspaceId, 'ada'],
    [bed.workspaceId, 'bob'],
    [bed.workspaceId, 'ada'],
    [workspace.id, 'ada'],
  ];
  for (const [workspaceId, endUserId] of callers) {
    const call = { workspaceId, endUserId, integrationName: 'shared', actionName: 'look', connectionExternalId: 'all', input: {} };
    await bed.api.must(200).post('/api/v1/actions/execute', call);
  }
  const calls = await server.has('tools/call', callers.length);
  expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer of the account']));
  const [ada, bob, again, elsewhere] = calls.map(({ headers }) => headers['mcp-session-id']);
  expect(again).toBe(ada);
  expect(new Set([ada, bob, elsewhere]).size).toBe(3);
});

const pendingOf = async (name: string): Promise<Change[]> => (await bed.api.must(200).get(`${I}/${name}/changes?status=pending`)).changes;
const CHANGED = { ...TOOL, description: 'Looks and takes' };

const nonEmpty = <Item>(items: Item[]) => items.length > 0 && items;

test.each(['sessions', 'modern'] as const)(
  'a change during an interruption of the listener is found, for a server of kind %s',
  async (manner) => {
    const server = await aServer([TOOL], manner);
    await importServer('early', server);
    const watches = openServerWatches(bed.gateway);
    server.before = (_, response) => {
      server.before = () => false;
      response.writeHead(403).end();
      return true;
    };
    server.tools[0] = CHANGED;
    server.notify();
    const isListening = () => until(async () => watches.turn().then(() => server.listeners.size > 0));
    await isListening();
    const [first] = await until(async () => nonEmpty(await pendingOf('early')));
    expect(first).toMatchObject({ kind: 'action_changed', detectedBy: 'list_changed' });

    // The tool changes again before the next stream opens.
    for (const listener of server.listeners) listener.destroy();
    server.listeners.clear();
    server.tools[0] = { ...TOOL, description: 'Looks, takes and runs' };
    await isListening();
    const [second] = await until(async () => nonEmpty((await pendingOf('early')).filter(({ id }) => id !== first!.id)));
    expect(second).toMatchObject({ kind: 'action_changed', detectedBy: 'list_changed' });
    await watches.close();
  },
);

test('only a 401 answer means that accounts are required; other failures keep this setting', async () => {
  const server = await aServer();
  let status = 503;
  server.before = (request, response) => {
    if (request.headers.authorization) return false;
    response.writeHead(status).end();
    return true;
  };
  const secret = { fetchAuth: { type: 'bearer', token: 'of the import' } };
  expect((await importServer('open', server, secret)).integration.auth).toBeNull();
  status = 401;
  expect((await importServer('closed', server, secret)).integration.auth).toMatchObject({ type: ['SECRET_TEXT'] });
  for (status of [503, 403, 404]) expect((await bed.api.must(200).post(`${I}/closed/refresh`)).changes).toEqual([]);
  server.before = () => false;
  expect((await bed.api.must(200).post(`${I}/closed/refresh`)).changes).toMatchObject([{ kind: 'auth_changed' }]);
});

test('many notifications during a refresh cause one more refresh', async () => {
  const server = await aServer();
  await importServer('telling', server);
  const watches = openServerWatches(bed.gateway);
  await watches.turn();
  await until(() => server.listeners.size > 0);
  server.tools[0] = { ...TOOL, description: 'Looks and takes' };
  for (let count = 0; count < 20; count += 1) server.notify();
  // Three listings: the import, the refresh for the first notification, and one for all others.
  await server.has('tools/list', 3);
  const pending = await until(async () => {
    const { changes, total } = await bed.api.must(200).get(`${I}/telling/changes?status=pending`);
    return total > 0 && changes;
  });
  expect(pending).toMatchObject([{ kind: 'action_changed', detectedBy: 'list_changed' }]);
  await watches.close();
});

test("the listener does not send the import's credentials to another origin", async () => {
  const [imported, other] = await Promise.all([aServer(), aServer()]);
  const secrets = { headers: { 'X-Team': 'team-secret' }, fetchAuth: { type: 'bearer', token: 'import-secret' } };
  await importServer('moved', imported, secrets);
  const listenTo = async (server: FakeMcpServer) => {
    await bed
      .patient('custom_integrations')
      .update({ head: bed.patient.raw(`jsonb_set(head::jsonb, '{baseUrl}', ?::jsonb)`, [JSON.stringify(server.url)]) });
    const watches = openServerWatches(bed.gateway);
    await bed.patient('custom_integrations').update({ watched_until: null });
    await watches.turn();
    const [opened] = await server.has('GET');
    await watches.close();
    return opened!.headers;
  };
  expect(await listenTo(imported)).toMatchObject({ authorization: 'Bearer import-secret', 'x-team': 'team-secret' });
  await listenTo(other);
  expect(JSON.stringify(other.arrived)).not.toMatch(/team-secret|import-secret/);
});

test('a server that hangs does not block the listener, even after its integration is deleted', async () => {
  const [hanging, listening] = await Promise.all([aServer(), aServer()]);
  await importServer('hanging', hanging);
  await importServer('listening', listening);
  let isAsked = false;
  hanging.before = () => {
    isAsked = true;
    return new Promise<boolean>(() => {});
  };
  const watches = openServerWatches(bed.gateway);
  await watches.turn();
  await until(() => isAsked && listening.listeners.size > 0);
  await bed.patient('custom_integrations').where({ name: 'hanging' }).delete();
  await watches.turn();
  listening.tools[0] = { ...TOOL, description: 'Looks and takes' };
  listening.notify();
  await until(async () => (await bed.api.must(200).get(`${I}/listening/changes?status=pending`)).total > 0);
  hanging.before = () => false;
  await hanging.close();
  servers.splice(servers.indexOf(hanging), 1);
  await watches.close();
});
