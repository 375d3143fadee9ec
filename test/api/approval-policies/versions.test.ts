import { randomUUID } from 'node:crypto';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aStranger } from '../end-users/end-user-bed.ts';

const POLICIES = '/api/v1/approval-policies';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

async function aPolicy(fields: object = {}) {
  const { policy } = await bed.api.must(200).post(POLICIES, { name: 'First', enabled: false, priority: 5, ...fields });
  const path = `${POLICIES}/${policy.id}`;
  return {
    id: policy.id as string,
    path,
    change: async (changes: object) => (await bed.api.must(200).patch(path, changes)).policy,
    versions: (query = '') => bed.api.must(200).get(`${path}/versions${query}`),
  };
}

test('every change creates a version with its author and its changed fields', async () => {
  const policy = await aPolicy({ rules: { domainDenylist: ['a.example'] } });
  await policy.change({ priority: 7, rules: { domainDenylist: ['b.example'], domainAllowlist: [] } });
  await policy.change({ metadata: { ticket: 1 } });
  const { versions, total } = await policy.versions();
  expect(total).toBe(3);
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
  const [key] = (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys;
  expect(versions[1]).toMatchObject({
    changedBy: { type: 'api_key', id: key.id },
    changedAt: expect.stringMatching(/Z$/),
    restoredVersion: null,
    ...{ name: 'First', priority: 7, metadata: null, mode: 'enforce' },
  });
  expect(versions[1].changes).toEqual([
    { field: 'priority', before: 5, after: 7 },
    { field: 'rules.domainDenylist', before: ['a.example'], after: ['b.example'] },
    { field: 'rules.domainAllowlist', before: null, after: [] },
  ]);
  expect(versions[2]).toMatchObject({ version: 1, changes: [], priority: 5 });
});

test('versions are paged; the last version on a page also lists its changes', async () => {
  const policy = await aPolicy();
  for (const priority of [6, 7, 8]) await policy.change({ priority });
  const { versions, total } = await policy.versions('?limit=2&offset=1');
  expect([total, versions.map((one: { version: number; changes: unknown }) => [one.version, one.changes])]).toEqual([
    4,
    [
      [3, [{ field: 'priority', before: 6, after: 7 }]],
      [2, [{ field: 'priority', before: 5, after: 6 }]],
    ],
  ]);
});

test('any two versions can be compared', async () => {
  const policy = await aPolicy();
  await policy.change({ priority: 6 });
  await policy.change({ priority: 5, name: 'Third' });
  const diff = (version: number, query = '') => bed.api.must(200).get(`${policy.path}/versions/${version}/diff${query}`);
  expect(await diff(3)).toEqual({
    ...{ from: 2, to: 3 },
    changes: [
      { field: 'name', before: 'First', after: 'Third' },
      { field: 'priority', before: 6, after: 5 },
    ],
  });
  expect(await diff(3, '?from=1')).toEqual({ from: 1, to: 3, changes: [{ field: 'name', before: 'First', after: 'Third' }] });
  expect(await diff(1)).toEqual({ from: 1, to: 1, changes: [] });
});

test('restoring an earlier version creates a new version, which applies to the next call', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Restored', slug: 'restored' });
  const call = { workspaceId: workspace.id, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' } };
  const policy = await aPolicy({ workspaceId: workspace.id, enabled: true, decision: 'block' });
  const execute = async () => (await bed.api.post('/api/v1/actions/execute', call)).status;
  await policy.change({ enabled: false, name: 'Off' });
  expect(await execute()).toBe(200);
  const { policy: restored } = await bed.api.must(200).post(`${policy.path}/versions/1/restore`);
  expect(restored).toMatchObject({ version: 3, name: 'First', enabled: true });
  expect(await execute()).toBe(403);
  const { versions } = await policy.versions();
  expect(versions[0]).toMatchObject({ version: 3, restoredVersion: 1, changes: [{ field: 'name' }, { field: 'enabled' }] });
  const [row] = await bed.patient('activity').where({ policy_id: policy.id, policy_version: 3, type: 'policy.updated' }).select('details');
  expect(row.details).toMatchObject({ restoredVersion: 1, policy: { name: 'First' } });
});

test('a version that names a deleted workspace cannot be restored, and nothing changes', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Gone', slug: 'gone' });
  const policy = await aPolicy({ workspaceId: workspace.id });
  await policy.change({ workspaceId: null });
  await bed.api.must(200).delete(`/api/v1/workspaces/${workspace.id}`);
  expect((await bed.api.post(`${policy.path}/versions/1/restore`)).status).toBe(404);
  expect((await policy.versions()).total).toBe(2);
});

test('unknown versions, and versions of another organization, are not found', async () => {
  const policy = await aPolicy();
  const stranger = await aStranger(bed);
  for (const [path, code] of [
    [`${policy.path}/versions/2/restore`, 'NOT_FOUND'],
    [`${policy.path}/versions/0/restore`, 'NOT_FOUND'],
    [`${policy.path}/versions/99999999999/restore`, 'NOT_FOUND'],
    [`${POLICIES}/${randomUUID()}/versions/1/restore`, 'APPROVAL_POLICY_NOT_FOUND'],
  ])
    expect([path, (await bed.api.post(path!)).body.code]).toEqual([path, code]);
  expect((await stranger.api.get(`${policy.path}/versions`)).status).toBe(404);
});

test('fifty concurrent changes create fifty versions; each is valid until the next', async () => {
  const policy = await aPolicy();
  await Promise.all(Array.from({ length: 50 }, (_, at) => policy.change({ priority: at })));
  const rows = await bed
    .patient('approval_policy_versions')
    .where({ policy_id: policy.id })
    .orderBy('version')
    .select('version', 'from_policies_version as from', 'until_policies_version as until');
  expect(rows.map(({ version }) => version)).toEqual(Array.from({ length: 51 }, (_, at) => at + 1));
  for (const [at, { until }] of rows.entries()) expect(until).toBe(rows[at + 1]?.from ?? null);
});

test('the versions of a deleted policy stay stored, but cannot be read through the API', async () => {
  const policy = await aPolicy();
  await bed.api.must(200).delete(policy.path);
  expect((await bed.api.get(`${policy.path}/versions`)).status).toBe(404);
  const rows = await bed
    .patient('approval_policy_versions')
    .where({ policy_id: policy.id })
    .select('until_policies_version as until', 'deleted_at');
  expect(rows).toEqual([{ until: expect.any(Number), deleted_at: expect.any(Date) }]);
});
