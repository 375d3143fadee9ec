import { z } from 'zod';
import { openOrgCatalog } from '../../../../commands/integrations/org-catalog.ts';
import { openSurfaceCache } from '../../../../commands/surfaces/surface-cache.ts';
import { INTEGRATIONS, openCatalog } from '../../../../integrations/catalog.ts';
import { action, integration } from '../../../../integrations/definition.ts';
import { callerOf } from '../../../support/caller.ts';
import { newOrg } from '../../../support/new-org.ts';
import { checkedCaller } from '../../checked-caller.ts';
import { GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';

const SECRET = 'secret-of-the-own-one';
const auth = [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: 'A token' }] as const;

const given: unknown[] = [];
const newcomer = integration({
  ...{ name: 'tracker', displayName: 'Tracker of the service', description: 'For tests', logoUrl: null },
  ...{ categories: ['PRODUCTIVITY'], auth: [...auth] },
  actions: {
    get_task: action({
      ...{ displayName: 'Get', description: 'Gets', category: 'read' },
      input: z.object({ id: z.string().describe('Id') }),
      output: z.object({}),
      run: (context) => {
        given.push(context.auth);
        return {};
      },
    }),
  },
});

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

function restartWith(integrations: typeof INTEGRATIONS): object[] {
  const told: object[] = [];
  const { db, setups } = bed.gateway;
  const catalog = openOrgCatalog(db, openCatalog(integrations), (hidden) => told.push(...hidden));
  Object.assign(bed.gateway, { catalog, surfaces: openSurfaceCache(db, catalog, setups) });
  return told;
}

test('a custom integration keeps a name that a new built-in integration also has', async () => {
  const document = tasksAt(bed.thirdParty.url, { auth, authenticate: 'bearer', actions: { get_task: GET_TASK } });
  await importTasks(bed, 'tracker', document);
  const account = { externalId: 'a', displayName: 'A', integrationName: 'tracker', type: 'SECRET_TEXT', secretText: SECRET };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', account);
  const instance = { integrationName: 'tracker', connectionId: connection.id };
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, instance);
  const { server, bearerToken } = await bed.api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Agent', workspaceId: bed.workspaceId, authMode: 'bearer' });
  const before = [...INTEGRATIONS];
  const told = restartWith([...before, newcomer]);

  const call = { workspaceId: bed.workspaceId, integrationName: 'tracker', actionName: 'get_task', input: { id: 't1' } };
  expect((await bed.api.must(200).post('/api/v1/actions/execute', call)).output).toMatchObject({ title: 'First' });
  const params = { name: 'tracker__get_task', arguments: { id: 't2' } };
  const answer = await callerOf(bed.apiUrl, bearerToken).post(
    `/mcp/srv_${server.id}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { accept: 'application/json, text/event-stream' },
  );
  expect(answer.status).toBe(200);
  const received = bed.thirdParty.received.map(({ path, headers }) => [path, headers.authorization]);
  expect(received).toEqual([
    ['/tasks/t1', `Bearer ${SECRET}`],
    ['/tasks/t2', `Bearer ${SECRET}`],
  ]);
  expect(given).toEqual([]);

  expect(told).toEqual([{ orgId: bed.orgId, name: 'tracker' }]);
  const listed = await bed.api.must(200).get(`${I}?summary=true`);
  const named = listed.integrations.filter(({ name }: { name: string }) => name === 'tracker');
  expect(named).toMatchObject([{ displayName: 'Tasks', custom: true, hidesBuiltIn: true }]);
  expect(listed.total).toBe(listed.integrations.length);
  for (const path of [`${I}/tracker`, `${I}?name=tracker`])
    expect((await bed.api.must(200).get(path)).integration).toMatchObject({ displayName: 'Tasks', hidesBuiltIn: true });

  const other = checkedCaller(bed.apiUrl, (await newOrg(bed.gateway.config.databaseUrl!, 'Other')).plainKey);
  for (const caller of [other, checkedCaller(bed.apiUrl)])
    expect((await caller.must(200).get(`${I}/tracker`)).integration).toMatchObject({
      displayName: 'Tracker of the service',
      custom: false,
    });
  restartWith(before);
  const refused = await other.post(`${I}/import`, { kind: 'declarative', name: 'tracker', document });
  expect(refused.body).toMatchObject({ code: 'DUPLICATE', error: expect.stringContaining('or was the name') });
  restartWith([...before, newcomer]);

  await bed.api.must(200).patch(`${I}/tracker`, { displayName: 'Ours' });
  await bed.api.must(200).delete(`${I}/tracker?force=true`);
  expect((await bed.api.must(200).get(`${I}/tracker`)).integration.displayName).toBe('Tracker of the service');
  expect((await bed.api.must(200).get('/api/v1/connections')).connections).toEqual([]);
  expect((await bed.api.post('/api/v1/actions/execute', call)).body.code).toBe('CONNECTION_REQUIRED');
  expect(given).toEqual([]);
});
