import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../infra/database.ts';
import type { ApiAnswer, Caller } from '../support/caller.ts';
import { sampled } from '../support/extent.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aWorkspace, withWorkspaceKey } from './checked-caller.ts';
import { aWorld, END_USER, type World } from './tenants/a-world.ts';

/** In round 0 the deletion starts before all requests, in round 1 after the first answer. */
const ROUNDS = [0, 1];

let db: Db;
beforeAll(async () => {
  db = patientDatabase((await system()).databaseUrl, 2);
});
afterAll(() => db?.destroy());

function use(api: Caller, w: World, round: number): Promise<ApiAnswer>[] {
  const { workspaceId } = w;
  const server = `/api/v1/mcp/servers/${w.serverId}`;
  const unique = `${round}`;
  const call = (fields: object) =>
    api.post('/api/v1/actions/execute', { workspaceId, integrationName: 'kv-store', partialIds: [], ...fields });
  const account = { integrationName: 'openai', type: 'SECRET_TEXT', secretText: 'x', workspaceId };
  return [
    call({ actionName: 'get', input: { key: 'a' } }),
    call({ actionName: 'get', input: { key: 'a' }, endUserId: END_USER }),
    call({ actionName: 'put', input: { key: 'raced', value: round } }),
    call({ actionName: 'put', input: { key: 'raced', value: round }, endUserId: END_USER }),
    call({ actionName: 'add_to_list', input: { key: 'list', value: round } }),
    call({ actionName: 'get', input: { key: 'a' }, partialIds: [w.partialId] }),
    api.post(`${server}/execute-code`, { code: `return await svc.kv_store.put({ key: "code", value: ${round} })` }),
    api.post(`${server}/execute-code`, { code: 'return await svc.kv_store.get({ key: "a" })' }),
    api.post(`${server}/tools`, { integrationName: 'hash-encode', actionName: 'hash', integrationAlias: `t-${unique}`, partialIds: [] }),
    api.post(`${server}/tools`, {
      integrationName: 'openai',
      actionName: 'ask_chatgpt',
      integrationAlias: `o-${unique}`,
      connectionId: w.connectionId,
    }),
    api.post(`${server}/access-tokens`, { endUserId: END_USER }),
    api.patch(server, { description: unique, endUserId: END_USER }),
    api.get(server),
    api.post('/api/v1/mcp/servers', { name: 'x', workspaceId, endUserId: END_USER }),
    api.post(`/api/v1/workspaces/${workspaceId}/integrations`, {
      integrationName: 'openai',
      alias: `ai-${unique}`,
      connectionId: w.connectionId,
    }),
    api.patch(`/api/v1/workspaces/${workspaceId}/integrations/${w.integrationId}`, { sortOrder: round }),
    api.post('/api/v1/connections', { ...account, externalId: unique, endUserId: END_USER }),
    api.post('/api/v1/connections', { ...account, externalId: unique, scope: 'WORKSPACE' }),
    api.post('/api/v1/partials', {
      workspaceId,
      integrationName: 'kv-store',
      name: unique,
      values: {},
      workspaceIntegrationId: w.integrationId,
    }),
    api.patch(`/api/v1/partials/${w.partialId}`, { name: `renamed ${unique}` }),
    api.post('/api/v1/end-users', { workspaceId, externalId: unique }),
    api.post(`/api/v1/end-users/${w.endUserId}/connect-token`),
    api.post('/api/v1/connect/token', {
      integrationName: 'openai',
      connectionName: 'x',
      externalId: 'x',
      workspaceId,
      endUserId: END_USER,
    }),
    api.post('/api/v1/approval-policies', { name: 'x', enabled: false, workspaceId, mcpServerIds: [w.serverId] }),
    api.get(`/api/v1/workspaces/${workspaceId}/integrations`),
    api.get(`/api/v1/end-users?workspaceId=${workspaceId}`),
    api.get(`/api/v1/connections?workspaceId=${workspaceId}`),
  ];
}

/** Tables that keep references to deleted records as history. */
const HISTORY = [
  ...['activity', 'approvals', 'approval_counts', 'approval_count_changes', 'receipts', 'calls', 'code_runs'],
  ...['webhook_deliveries', 'webhook_endpoints'],
];

async function tablesWith(column: string): Promise<string[]> {
  const { rows } = await db.raw("select table_name from information_schema.columns where table_schema = 'public' and column_name = ?", [
    column,
  ]);
  return rows.map(({ table_name }: { table_name: string }) => table_name).filter((table: string) => !HISTORY.includes(table));
}

async function rowsOf(column: string, id: string): Promise<object> {
  const counted = await Promise.all(
    (await tablesWith(column)).map(
      async (table) =>
        [
          table,
          Number(
            (
              await db(table)
                .where({ [column]: id })
                .count()
            )[0]!.count,
          ),
        ] as const,
    ),
  );
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

type Target = { path: string; column: string; id: string; concern: object; among?: string };

const TARGETS: [string, (w: World) => Target][] = [
  ['a workspace', (w) => ({ path: `/api/v1/workspaces/${w.workspaceId}`, column: 'workspace_id', id: w.workspaceId, concern: {} })],
  // Calls can name an unknown end user, so approvals for the deleted id can still be created.
  ['an end user', (w) => ({ path: `/api/v1/end-users/${w.endUserId}`, column: 'end_user_id', id: w.endUserId, concern: { id: 'none' } })],
  [
    'a connection',
    (w) => ({
      path: `/api/v1/connections/${w.connectionId}`,
      column: 'connection_id',
      id: w.connectionId,
      concern: {},
      among: 'concerned_connection_ids',
    }),
  ],
  [
    'a workspace integration',
    (w) => ({
      path: `/api/v1/workspaces/${w.workspaceId}/integrations/${w.integrationId}`,
      ...{ column: 'workspace_integration_id', id: w.integrationId, concern: { workspace_integration_id: w.integrationId } },
    }),
  ],
  [
    'an MCP server',
    (w) => ({ path: `/api/v1/mcp/servers/${w.serverId}`, column: 'server_id', id: w.serverId, concern: { mcp_server_id: w.serverId } }),
  ],
  ['a partial', (w) => ({ path: `/api/v1/partials/${w.partialId}`, column: 'partial_id', id: w.partialId, concern: { id: 'none' } })],
];
test.each(sampled(TARGETS, 1))(
  'deleting %s during requests causes no 5xx, no orphaned rows and no orphaned approvals',
  async (_, targetOf) => {
    for (const round of sampled(ROUNDS, 1)) {
      const world = await aWorld();
      const { api } = world.tenant;
      const { path, column, id, concern, among } = targetOf(world);
      const [removed, ...answers] = await raceAt(
        round,
        () => api.delete(path),
        () => use(api, world, round),
      );
      expect(removed!.status).toBe(200);
      expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
      expect(await rowsOf(column, id)).toEqual({});
      const pending = db('approvals').where({ workspace_id: world.workspaceId, ...concern, status: 'pending' });
      if (among) pending.andWhereRaw('? = any(??)', [id, among]);
      expect(await pending.select('action_name', 'code_run_id')).toEqual([]);
      if (column === 'workspace_id' || column === 'server_id') await runsEnd({ workspace_id: world.workspaceId, ...concern });
    }
  },
  120_000,
);

test('deleting an API key during its requests causes no 5xx; later requests get 401', async () => {
  const world = await aWorld();
  const caller = await withWorkspaceKey(world.tenant);
  const [removed, ...answers] = await raceAt(
    0,
    () => world.tenant.api.delete(`/api/v1/api-keys/${caller.keyId}`),
    () => use(caller, world, 0),
  );
  expect(removed!.status).toBe(200);
  expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
  const after = await Promise.all(use(caller, world, 1));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
  await aWorkspace(world.tenant, 'goes-on');
});

/** Waits until the runs end. A running run notices the deletion at its next step. */
async function runsEnd(where: object): Promise<void> {
  while ((await db('code_runs').where(where).whereIn('status', ['running', 'waiting'])).length > 0) await delay(50);
}

async function raceAt(round: number, remove: () => Promise<ApiAnswer>, useAll: () => Promise<ApiAnswer>[]): Promise<ApiAnswer[]> {
  if (round === 0) return Promise.all([remove(), ...useAll()]);
  const started = useAll();
  await Promise.race(started);
  return Promise.all([remove(), ...started]);
}
