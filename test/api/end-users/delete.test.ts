import { ensureEndUser } from '../../../commands/end-users/ensure-end-user.ts';
import { type Db, isMissingReference } from '../../../infra/database.ts';
import { readSurfaceVersion } from '../../../store/workspaces.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aConnection, anEndUser, END_USERS } from './end-user-bed.ts';

let bed: ApiBed;
let place: { db: Db; orgId: string };
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
  place = { db: bed.gateway.db, orgId: bed.orgId };
});
afterAll(() => bed?.close());

const remove = (id: string) => bed.api.must(200).delete(`${END_USERS}/${id}`);

test("deleting an end user deletes and counts the end user's connections; other connections stay", async () => {
  const [doomed, other] = [await anEndUser(bed), await anEndUser(bed)];
  await aConnection(place, doomed);
  await aConnection(place, doomed);
  const kept = await aConnection(place, other);
  expect(await remove(doomed.id)).toEqual({ deleted: true, id: doomed.id, connectionsDeleted: 2 });
  const left = await bed.gateway.db('connections').whereIn('end_user_id', [doomed.id, other.id]).pluck('id');
  expect(left).toEqual([kept]);
});

test('deleting an end user deletes the servers and tokens scoped to the end user', async () => {
  const doomed = await anEndUser(bed);
  const create = async (endUserId?: string) =>
    (await bed.api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId: bed.workspaceId, authMode: 'bearer', endUserId })).server
      .id;
  const [scoped, shared] = [await create(doomed.externalId), await create()];
  await remove(doomed.id);
  expect((await bed.api.get(`/api/v1/mcp/servers/${scoped}`)).status).toBe(404);
  expect((await bed.api.get(`/api/v1/mcp/servers/${shared}`)).status).toBe(200);
  expect(await bed.gateway.db('mcp_tokens').where({ server_id: scoped })).toEqual([]);
});

test("deleting an end user removes the end user's connection from instances", async () => {
  const doomed = await anEndUser(bed);
  const connectionId = await aConnection(place, doomed);
  const shared = await aConnection(place, doomed, { end_user_id: null, scope: 'WORKSPACE' });
  const integrations = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  const { integration } = await bed.api.must(201).post(integrations, { integrationName: 'mail', connectionId: shared });
  // The API can no longer create such rows, but rows from older versions can exist.
  await bed.gateway.db('workspace_integrations').where({ id: integration.id }).update({ connection_id: connectionId });
  const before = await readSurfaceVersion(bed.gateway.db, bed.workspaceId);
  await remove(doomed.id);
  const listed = (await bed.api.must(200).get(integrations)).integrations.find(({ id }: { id: string }) => id === integration.id);
  expect(listed).toMatchObject({ connectionId: null, connectionStatus: null });
  expect(await readSurfaceVersion(bed.gateway.db, bed.workspaceId)).toBeGreaterThan(before);
});

test("the end user's state of built-in integrations is deleted; other state stays", async () => {
  const [doomed, other] = [await anEndUser(bed), await anEndUser(bed)];
  const run = (endUserId: string, integrationName: string, actionName: string, input: object) =>
    bed.api.must(200).post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, integrationName, actionName, input, endUserId });
  const note = { pageName: 'notes', content: 'private' };
  for (const { externalId } of [doomed, other]) {
    await run(externalId, 'kv-store', 'put', { key: 'k', value: 'private' });
    await run(externalId, 'storage', 'write_file', { path: 'a.txt', content: 'private' });
    await run(externalId, 'agent-memory', 'create_entities', { entities: [{ name: 'a', type: 'b' }] });
    await run(externalId, 'agent-scratchpad', 'write_page', note);
    await run(externalId, 'sequential-thinking', 'add_thought', { chainId: 'c', content: 'private' });
  }
  await remove(doomed.id);
  for (const table of ['kv_entries', 'stored_files', 'memory_entities', 'scratchpad_pages', 'thoughts']) {
    const owners = await bed.gateway.db(table).where({ workspace_id: bed.workspaceId }).pluck('scope_key');
    expect([table, owners]).toEqual([table, [other.externalId]]);
  }
});

test("a deleted end user's externalId can be used again", async () => {
  const { id } = await anEndUser(bed, { externalId: 'again' });
  await remove(id);
  expect((await anEndUser(bed, { externalId: 'again' })).id).not.toBe(id);
});

describe('concurrent requests', () => {
  test('of ten concurrent deletions, one succeeds and nine find nothing', async () => {
    const { id } = await anEndUser(bed);
    const answers = await Promise.all(Array.from({ length: 10 }, () => bed.api.delete(`${END_USERS}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });

  test('a deletion while connections are created leaves no orphan and reports the right count', async () => {
    const { db } = bed.gateway;
    for (let round = 0; round < 5; round += 1) {
      const doomed = await anEndUser(bed);
      const making = Array.from({ length: 6 }, () => aConnection(place, doomed).then(() => 1, ignoreMissingReference));
      const [{ connectionsDeleted }, ...made] = await Promise.all([remove(doomed.id), ...making]);
      expect(connectionsDeleted).toBe(made.filter(Boolean).length);
      expect(await db('connections').where({ end_user_id: doomed.id })).toEqual([]);
    }
  });

  test('an account stored during a deletion is deleted or belongs to a new end user', async () => {
    const { workspaceId } = bed;
    for (let round = 0; round < 5; round += 1) {
      const { id, externalId: endUserId } = await anEndUser(bed);
      const account = { integrationName: 'mail', type: 'SECRET_TEXT', secretText: 'secret', workspaceId, endUserId };
      const [{ connectionsDeleted }, ...answers] = await Promise.all([
        remove(id),
        ...['a', 'b', 'c'].map((externalId) => bed.api.post('/api/v1/connections', { ...account, externalId })),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      const { total } = await bed.api.must(200).get(`/api/v1/connections?workspaceId=${workspaceId}&endUserId=${endUserId}`);
      expect(total).toBe(3 - connectionsDeleted);
    }
  });

  test("a request during the end user's deletion succeeds or finds nothing", async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = `${END_USERS}/${(await anEndUser(bed)).id}`;
      const answers = await Promise.all([
        bed.api.post(`${path}/connect-token`),
        bed.api.patch(path, { displayName: 'x' }),
        bed.api.delete(path),
        bed.api.get(path),
        bed.api.post(`${path}/connect-token`),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 404].includes(status))).toEqual([]);
      expect(answers[2]!.status).toBe(200);
    }
  });

  test('an end user that a transaction uses is deleted only after the transaction', async () => {
    const { db } = bed.gateway;
    for (let round = 0; round < 5; round += 1) {
      const key = { orgId: bed.orgId, workspaceId: bed.workspaceId, externalId: `contested-${round}` };
      const { id } = await ensureEndUser(db, { type: 'system', id: null }, key);
      const [ensuredId, { connectionsDeleted }] = await Promise.all([
        db.transaction(async (tx) => {
          const endUser = await ensureEndUser(tx, { type: 'system', id: null }, key);
          await aConnection({ db: tx, orgId: bed.orgId }, endUser);
          return endUser.id;
        }),
        remove(id),
      ]);
      expect(connectionsDeleted).toBe(ensuredId === id ? 1 : 0);
    }
  });
});

function ignoreMissingReference(error: unknown): number {
  if (isMissingReference(error)) return 0;
  throw error;
}
