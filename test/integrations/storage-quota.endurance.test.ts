import { down, up } from '../../migrations/0031_storage_usage.ts';
import { findStorageUsage } from '../../store/storage-quota.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { aWorkspace } from '../api/checked-caller.ts';
import { callerOf } from '../support/caller.ts';
import { newOrg } from '../support/new-org.ts';

const MB = 1024 * 1024;

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ QUOTA_STORAGE_MB: '1' });
});
afterAll(() => bed.close());

async function aStorer() {
  const org = await newOrg(bed.gateway.config.databaseUrl!);
  const api = callerOf(bed.apiUrl, org.plainKey);
  const act = (integrationName: string, actionName: string, input: object, owner: object = { endUserId: 'ann' }) =>
    api.post('/api/v1/actions/execute', { workspaceId: org.workspaceId, ...owner, integrationName, actionName, input });
  return {
    ...org,
    api,
    write: (path: string, bytes: number, owner?: object) => act('storage', 'write_file', { path, content: 'x'.repeat(bytes) }, owner),
    put: (key: string, value: unknown, owner?: object) => act('kv-store', 'put', { key, value }, owner),
    act,
    usage: () => findStorageUsage(bed.patient, org.orgId),
    async counted() {
      const { rows } = await bed.patient.raw(
        `select (select coalesce(sum(octet_length(value::text)), 0) from kv_entries where org_id = :id)
              + (select coalesce(sum(octet_length(content)), 0) from stored_files where org_id = :id) as content`,
        { id: org.orgId },
      );
      return Number(rows[0].content);
    },
  };
}

const FULL = { status: 403, body: { code: 'QUOTA_EXCEEDED', details: { quotaMb: 1 } } };

test('files and key-value entries share one quota, exact to the byte', async () => {
  const { write, put, act, usage } = await aStorer();
  expect((await write('half', MB / 2)).status).toBe(200);
  expect((await put('rest', 'x'.repeat(MB / 2 - 2))).status).toBe(200);
  expect(await write('one', 1)).toMatchObject(FULL);
  expect(await put('one', 1)).toMatchObject(FULL);
  expect((await write('one', 0)).status).toBe(200);
  expect((await put('rest', 'x'.repeat(MB / 2 - 2))).status).toBe(200);
  expect(await put('rest', 'x'.repeat(MB / 2 - 1))).toMatchObject(FULL);
  expect(await write('half', MB / 2 + 1)).toMatchObject(FULL);
  expect((await usage()).contentBytes).toBe(MB);
  expect((await act('storage', 'read_file', { path: 'half' })).body.output.content).toHaveLength(MB / 2);
});

test('all workspaces and end users of an organization share its quota', async () => {
  const [storer, other] = [await aStorer(), await aStorer()];
  expect((await storer.write('a', MB * 0.8)).status).toBe(200);
  const workspaceId = await aWorkspace({ ...storer, apiUrl: bed.apiUrl } as never, 'second');
  for (const owner of [{ endUserId: 'bob' }, { endUserId: 'ann', workspaceId }]) {
    expect(await storer.write('b', MB * 0.3, owner)).toMatchObject(FULL);
    expect(await storer.put('b', 'x'.repeat(MB * 0.3), owner)).toMatchObject(FULL);
  }
  expect((await other.write('a', MB * 0.8)).status).toBe(200);
});

test('overwriting counts only the difference, and every deletion frees its space', async () => {
  const { write, put, act, api, usage, counted, workspaceId: home } = await aStorer();
  await write('f', MB * 0.9);
  expect((await write('f', MB * 0.95)).status).toBe(200);
  expect((await write('f', 10)).status).toBe(200);
  expect((await put('k', 'x'.repeat(MB * 0.9))).status).toBe(200);
  expect((await usage()).contentBytes).toBe(await counted());
  await act('kv-store', 'delete', { key: 'k' });
  await act('storage', 'delete_file', { path: 'f' });
  expect(await usage()).toEqual({ contentBytes: 0, nameBytes: 0 });

  const { endUser } = await api.must(201).post('/api/v1/end-users', { workspaceId: home, externalId: 'bob' });
  await write('f', MB * 0.9, { endUserId: 'bob' });
  await api.must(200).delete(`/api/v1/end-users/${endUser.id}`);
  expect(await usage()).toEqual({ contentBytes: 0, nameBytes: 0 });

  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'Gone', slug: 'gone' });
  await write('f', MB * 0.5, { endUserId: 'ann', workspaceId: workspace.id });
  await put('k', 'x'.repeat(MB * 0.4), { endUserId: 'ann', workspaceId: workspace.id });
  await api.must(200).delete(`/api/v1/workspaces/${workspace.id}`);
  expect(await usage()).toEqual({ contentBytes: 0, nameBytes: 0 });
});

test('lists count as they grow and shrink; an addition above the quota changes nothing', async () => {
  const { put, act, usage, counted } = await aStorer();
  await act('kv-store', 'add_to_list', { key: 'list', value: 'x'.repeat(MB * 0.4) });
  expect((await act('kv-store', 'add_to_list', { key: 'list', value: 'y'.repeat(MB * 0.4) })).body.output.length).toBe(2);
  await put('other', 'x'.repeat(MB * 0.1));
  expect(await act('kv-store', 'add_to_list', { key: 'list', value: 'z'.repeat(MB * 0.15) })).toMatchObject(FULL);
  expect(await act('kv-store', 'add_to_list', { key: 'new', value: 'z'.repeat(MB * 0.15) })).toMatchObject(FULL);
  expect((await act('kv-store', 'get', { key: 'new' })).body.output.found).toBe(false);
  expect((await act('kv-store', 'remove_from_list', { key: 'list', value: 'y'.repeat(MB * 0.4) })).body.output.removed).toBe(1);
  expect((await usage()).contentBytes).toBe(await counted());
});

test('concurrent writes never exceed the quota, and the counter matches the stored data', async () => {
  const { write, put, act, usage, counted } = await aStorer();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? write(`f${n % 12}`, MB / 8)
        : n % 5 === 0
          ? act('kv-store', 'delete', { key: `k${n % 10}` })
          : put(`k${n % 10}`, 'x'.repeat(MB / 8 - 2)),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
  const { contentBytes } = await usage();
  expect([contentBytes <= MB, contentBytes]).toEqual([true, await counted()]);
});

test('over MCP, the error for a full quota names the quota and what to do', async () => {
  const { api, workspaceId, put } = await aStorer();
  const settings = { persistence: { scope: 'workspace' } };
  await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', settings });
  for (const key of ['one', 'two']) expect((await put(key, 'x'.repeat(MB / 2 - 2), {})).status).toBe(200);
  const server = { name: 'Agent', workspaceId, authMode: 'bearer' };
  const { server: made, bearerToken } = await api.must(201).post('/api/v1/mcp/servers', server);
  const params = { name: 'kv-store__put', arguments: { key: 'k', value: 1 } };
  const { result } = await callerOf(bed.apiUrl, bearerToken)
    .must(200)
    .post(`/mcp/srv_${made.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'QUOTA_EXCEEDED' } } });
  expect(result.content[0].text).toMatch(/^QUOTA_EXCEEDED: The organization may store 1 MB .* Delete some files or entries first\.$/);
});

test('names count too, so many small entries reach the quota', async () => {
  const { orgId, workspaceId, put, usage } = await aStorer();
  await bed.patient.raw(
    `insert into kv_entries (org_id, workspace_id, scope, scope_key, key, value)
     select ?, ?, 'workspace', '', rpad(n::text, 500, 'k'), '0' from generate_series(1, 1660) n`,
    [orgId, workspaceId],
  );
  expect((await usage()).nameBytes).toBeLessThanOrEqual(MB);
  expect(await put('k'.repeat(500), 0)).toMatchObject({ status: 200 });
  expect(await put('K'.repeat(500), 0)).toMatchObject({ status: 200 });
  const refused = [];
  for (let n = 0; n < 10; n += 1) refused.push((await put(`${n}`.padEnd(500, 'z'), 0)).status);
  expect(refused).toContain(403);
});

test('running the migration of the counters again counts the existing data', async () => {
  const { write, put, usage, counted } = await aStorer();
  await write('f', 1000);
  await put('k', 'x'.repeat(98));
  const before = await usage();
  await down(bed.patient);
  await bed.patient.transaction((tx) => up(tx));
  expect(await usage()).toEqual(before);
  expect(before.contentBytes).toBe(await counted());
  await write('f', 10);
  expect((await usage()).contentBytes).toBe(110);
});

test('a quota of 0 means unlimited', async () => {
  const unlimited = await openApiBed({ QUOTA_STORAGE_MB: '0' });
  const act = (path: string) =>
    unlimited.api.post('/api/v1/actions/execute', {
      ...{ workspaceId: unlimited.workspaceId, endUserId: 'ann', integrationName: 'storage', actionName: 'write_file' },
      input: { path, content: 'x'.repeat(900_000) },
    });
  try {
    for (const path of ['a', 'b', 'c']) expect((await act(path)).status).toBe(200);
  } finally {
    await unlimited.close();
  }
});
