import { aWorkspace, checkedTenant, withKey, withWorkspaceKey } from '../checked-caller.ts';

const POLICIES = '/api/v1/approval-policies';

test("ids in a policy's filters must exist in the policy's workspace", async () => {
  const tenant = await checkedTenant();
  const other = await checkedTenant();
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  const make = async ({ api }: typeof tenant, workspaceId: string) =>
    (await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId })).server.id;
  const [foreign, mine, far] = [
    await make(other, other.workspaceId),
    await make(tenant, tenant.workspaceId),
    await make(tenant, elsewhere),
  ];
  const { api, workspaceId } = tenant;
  const answer = await api.post(POLICIES, { name: 'x', mcpServerIds: [mine, foreign] });
  expect([answer.status, answer.body.code, answer.body.details]).toEqual([404, 'NOT_FOUND', { mcpServerIds: [foreign] }]);
  expect(await api.post(POLICIES, { name: 'x', workspaceIntegrationIds: [mine] })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect(await api.post(POLICIES, { name: 'x', workspaceId: other.workspaceId })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect(await api.post(POLICIES, { name: 'x', workspaceId, mcpServerIds: [mine, far] })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'mcpServerIds.1' }] } },
  });
  expect(await (await withWorkspaceKey(tenant)).post(POLICIES, { name: 'x', workspaceId, mcpServerIds: [far] })).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_DENIED' },
  });

  const { policy } = await api.must(200).post(POLICIES, { name: 'x', mcpServerIds: [mine, far] });
  await api.must(200).delete(`/api/v1/mcp/servers/${mine}`);
  expect((await api.must(200).patch(`${POLICIES}/${policy.id}`, { enabled: false })).policy.mcpServerIds).toEqual([mine, far]);
  const move = (fields: object) => api.patch(`${POLICIES}/${policy.id}`, { workspaceId, ...fields });
  expect(await move({})).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'mcpServerIds.1' }] } } });
  expect(await move({ mcpServerIds: [] })).toMatchObject({ status: 200 });
});

test('a workspace key can read org-wide policies, but cannot create, change or delete them', async () => {
  const tenant = await checkedTenant();
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  const { policy: wide } = await tenant.api.must(200).post(POLICIES, { name: 'wide' });
  const { policy: far } = await tenant.api.must(200).post(POLICIES, { name: 'far', workspaceId: elsewhere });
  const { policy: here } = await tenant.api.must(200).post(POLICIES, { name: 'here', workspaceId: tenant.workspaceId });
  const local = await withWorkspaceKey(tenant);
  const names = ({ policies }: { policies: { name: string }[] }) => policies.map(({ name }) => name);
  expect(names(await local.must(200).get(POLICIES))).toEqual(['wide', 'here']);
  expect((await local.must(200).get(`${POLICIES}/${wide.id}`)).policy.name).toBe('wide');
  for (const answer of [
    await local.post(POLICIES, { name: 'x' }),
    await local.patch(`${POLICIES}/${wide.id}`, { enabled: false }),
    await local.delete(`${POLICIES}/${wide.id}`),
    await local.get(`${POLICIES}/${far.id}`),
    await local.patch(`${POLICIES}/${here.id}`, { workspaceId: elsewhere }),
    await local.patch(`${POLICIES}/${here.id}`, { workspaceId: null }),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
  }
  expect(names(await tenant.api.must(200).get(`${POLICIES}?workspaceId=${elsewhere}`))).toEqual(['wide', 'far']);
});

test('a key without workspaces cannot read any policy, not even an org-wide one', async () => {
  const tenant = await checkedTenant();
  const { policy } = await tenant.api.must(200).post(POLICIES, { name: 'wide' });
  const locked = await withKey(tenant, { scope: 'workspace', workspaceIds: [] });
  expect(await locked.must(200).get(POLICIES)).toEqual({ policies: [], total: 0 });
  expect(await locked.get(`${POLICIES}/${policy.id}`)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
});
