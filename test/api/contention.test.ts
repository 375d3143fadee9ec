import { setTimeout as delay } from 'node:timers/promises';
import { ensureEndUser } from '../../commands/end-users/ensure-end-user.ts';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';
import { aWorkspace } from './checked-caller.ts';
import { aConnection, anEndUser, aStranger, END_USERS } from './end-users/end-user-bed.ts';

let bed: ApiBed;
let apart: Db;
/** The number of deadlocks, including those whose transactions were retried. */
let deadlocks = 0;
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
  bed.gateway.db.on('query-error', ({ code }: { code?: string }) => {
    if (code === '40P01') deadlocks += 1;
  });
  apart = patientDatabase(bed.gateway.config.databaseUrl!, 2);
});
afterAll(async () => {
  await apart?.destroy();
  await bed?.close();
});

async function countWaiting(): Promise<number> {
  const { rows } = await apart.raw(
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].count;
}

async function somebodyWaits(): Promise<void> {
  while ((await countWaiting()) === 0) await delay(5);
}

let count = 0;
const newWorkspace = () => aWorkspace({ ...bed }, `contended-${count++}`);

test('creating an account for an end user and deleting the workspace do not deadlock', async () => {
  const { orgId, gateway } = bed;
  const workspaceId = await newWorkspace();
  const { externalId } = await anEndUser({ api: bed.api, workspaceId });
  let deletion: ReturnType<typeof bed.api.delete> | undefined;
  await gateway.db.transaction(async (tx) => {
    const endUser = await ensureEndUser(tx, { type: 'system', id: null }, { orgId, workspaceId, externalId });
    deletion = bed.api.delete(`/api/v1/workspaces/${workspaceId}`);
    await somebodyWaits();
    await aConnection({ db: tx, orgId }, endUser);
  });
  expect((await deletion!).status).toBe(200);
  expect(deadlocks).toBe(0);
  expect(await apart('connections').where({ workspace_id: workspaceId })).toEqual([]);
});

test('requests during the deletion of their workspace never get a 5xx', async () => {
  for (let round = 0; round < 8; round += 1) {
    const workspaceId = await newWorkspace();
    const { id, externalId: endUserId } = await anEndUser({ api: bed.api, workspaceId });
    const account = { integrationName: 'mail', type: 'SECRET_TEXT', secretText: 'x', workspaceId, endUserId };
    const server = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'x', workspaceId, authMode: 'bearer', endUserId });
    const remember = { integrationName: 'agent-memory', actionName: 'create_entities', input: { entities: [{ name: 'a', type: 'b' }] } };
    const [removed, ...answers] = await Promise.all([
      bed.api.delete(`/api/v1/workspaces/${workspaceId}`),
      ...['a', 'b', 'c'].map((externalId) => bed.api.post('/api/v1/connections', { ...account, externalId })),
      bed.api.post(`/api/v1/mcp/servers/${server.server.id}/access-tokens`, { endUserId }),
      bed.api.post('/api/v1/actions/execute', { workspaceId, endUserId, ...remember }),
      bed.api.delete(`${END_USERS}/${id}`),
    ]);
    expect(removed!.status).toBe(200);
    expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
  }
  expect(deadlocks).toBe(0);
});

test('changes that wait for a lock of a workspace do not delay other requests', async () => {
  const workspaceId = await newWorkspace();
  const stranger = await aStranger(bed);
  const { adding, reads, waiting } = await apart.transaction(async (tx) => {
    await tx('workspaces').where({ id: workspaceId }).forUpdate().first();
    const adding = Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        bed.api.post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'datetime', alias: `clock-${index}` }),
      ),
    );
    await somebodyWaits();
    const reads = await Promise.all(Array.from({ length: 20 }, () => stranger.api.get('/api/v1/workspaces')));
    return { adding: { all: adding }, reads, waiting: await countWaiting() };
  });
  const added = await adding.all;
  expect(reads.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(waiting).toBe(1);
  expect(added.map(({ status }) => status)).toEqual(Array(60).fill(201));
});
