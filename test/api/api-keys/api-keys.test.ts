import { checkedCaller, checkedTenant, withKey } from '../checked-caller.ts';

const KEYS = '/api/v1/api-keys';

test('only the answer that creates a key contains the plain key', async () => {
  const { api } = await checkedTenant();
  const { apiKey, plainKey } = await api
    .must(200)
    .post(KEYS, { name: 'Backend', expiresAt: '2099-12-31T23:59:59Z', permissions: { approvals: { decide: true } } });
  expect(plainKey).toMatch(/^svc_[0-9A-Za-z]{49}$/);
  expect(apiKey).toMatchObject({
    name: 'Backend',
    expiresAt: '2099-12-31T23:59:59.000Z',
    permissions: { approvals: { decide: true } },
    lastUsedAt: null,
  });
  const { apiKeys, total } = await api.must(200).get(KEYS);
  expect(total).toBe(2);
  expect(apiKeys[1]).toEqual(apiKey);
  expect(JSON.stringify(apiKeys)).not.toContain(plainKey);
  expect(plainKey.startsWith(apiKey.keyPrefix)).toBe(true);
});

test('permissions are returned exactly as sent, or as {} if absent', async () => {
  const { api, workspaceId } = await checkedTenant();
  for (const permissions of [
    {},
    { scope: 'org' },
    { scope: 'workspace', workspaceIds: [workspaceId] },
    { scope: 'workspace', workspaceIds: [] },
    { approvals: {} },
    { approvals: { decide: false } },
  ]) {
    expect((await api.must(200).post(KEYS, { name: 'x', permissions })).apiKey.permissions).toEqual(permissions);
  }
  expect((await api.must(200).post(KEYS, { name: 'x' })).apiKey.permissions).toEqual({});
});

test('a key works immediately; after its deletion, the next request is refused', async () => {
  const tenant = await checkedTenant();
  const { apiKey, plainKey } = await tenant.api.must(200).post(KEYS, { name: 'Short life' });
  const caller = checkedCaller(tenant.apiUrl, plainKey);
  expect((await caller.get(KEYS)).status).toBe(200);
  expect(await caller.must(200).delete(`${KEYS}/${apiKey.id}`)).toEqual({ deleted: true, id: apiKey.id });
  expect((await caller.get(KEYS)).status).toBe(401);
  expect(await tenant.api.delete(`${KEYS}/${apiKey.id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('only a key that may decide can create another key that may decide', async () => {
  const tenant = await checkedTenant();
  const plain = await withKey(tenant, {});
  expect(await plain.post(KEYS, { name: 'x', permissions: { approvals: { decide: true } } })).toMatchObject({
    status: 403,
    body: { code: 'APPROVAL_DECISION_SCOPE_REQUIRED' },
  });
  expect((await plain.post(KEYS, { name: 'x', permissions: { approvals: { decide: false } } })).status).toBe(200);
});

test('a key cannot be granted a workspace of another organization', async () => {
  const [{ api }, other] = await Promise.all([checkedTenant(), checkedTenant()]);
  const permissions = { scope: 'workspace', workspaceIds: [other.workspaceId] };
  const { status, body } = await api.post(KEYS, { name: 'x', permissions });
  expect([status, body.code, body.details]).toEqual([404, 'NOT_FOUND', { workspaceIds: [other.workspaceId] }]);
});

test.each([
  ['no name', {}],
  ['an empty name', { name: '' }],
  ['a name of 201 characters', { name: 'x'.repeat(201) }],
  ['an invalid time', { name: 'x', expiresAt: 'tomorrow' }],
  ['a day that does not exist', { name: 'x', expiresAt: '2099-02-30T00:00:00Z' }],
  ['an unknown scope', { name: 'x', permissions: { scope: 'world' } }],
  ['a workspace scope without workspaces', { name: 'x', permissions: { scope: 'workspace' } }],
  ['workspaces without the scope workspace', { name: 'x', permissions: { workspaceIds: ['00000000-0000-4000-8000-000000000000'] } }],
  ['a malformed workspace', { name: 'x', permissions: { scope: 'workspace', workspaceIds: ['x'] } }],
  ['an unknown permission', { name: 'x', permissions: { approvals: { decide: true, veto: true } } }],
  ['a name that is a number', { name: 5 }],
  ['a list', [1]],
])('%s is refused', async (_, body) => {
  const { api } = await checkedTenant();
  const answer = await api.post(KEYS, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.details.issues.length).toBeGreaterThan(0);
});

test('the list contains all keys, oldest first, and their total', async () => {
  const { api } = await checkedTenant();
  for (const name of ['b', 'c']) await api.must(200).post(KEYS, { name });
  const { apiKeys, total } = await api.must(200).get(KEYS);
  expect(apiKeys.map(({ name }: { name: string }) => name)).toEqual(['First key', 'b', 'c']);
  expect(total).toBe(3);
});

test("the time of a key's last use is stored", async () => {
  const tenant = await checkedTenant();
  const { keyId, ...caller } = await withKey(tenant, {});
  await caller.get(KEYS);
  for (;;) {
    const { apiKeys } = await tenant.api.must(200).get(KEYS);
    if (apiKeys.find(({ id }: { id: string }) => id === keyId).lastUsedAt) break;
  }
});

test('an expired key is refused; an expiry time with a UTC offset is stored as UTC', async () => {
  const tenant = await checkedTenant();
  const { plainKey } = await tenant.api.must(200).post(KEYS, { name: 'Over', expiresAt: '2020-01-01T00:00:00Z' });
  expect(await checkedCaller(tenant.apiUrl, plainKey).get(KEYS)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  const later = await tenant.api.must(200).post(KEYS, { name: 'Not yet', expiresAt: '2099-01-01T02:00:00.5+02:00' });
  expect(later.apiKey.expiresAt).toBe('2099-01-01T00:00:00.500Z');
  expect((await checkedCaller(tenant.apiUrl, later.plainKey).get(KEYS)).status).toBe(200);
});

test.each([
  ['0000-01-01T00:00:00Z', 200],
  ['0000-01-01T00:00:00+01:00', 400],
  ['9999-12-31T23:59:59Z', 200],
  ['9999-12-31T23:59:59-01:00', 400],
])('creating a key that expires at %s answers %i', async (expiresAt, status) => {
  const { api } = await checkedTenant();
  expect((await api.post(KEYS, { name: 'x', expiresAt })).status).toBe(status);
});

test('a key may delete itself; its next request is refused', async () => {
  const tenant = await checkedTenant();
  const { keyId, ...key } = await withKey(tenant, {});
  expect(await key.must(200).delete(`${KEYS}/${keyId}`)).toEqual({ deleted: true, id: keyId });
  expect((await key.get(KEYS)).status).toBe(401);
});

test.each([[[]], ['own']])('a workspace key with workspaces %j cannot manage keys, not even itself', async (which) => {
  const tenant = await checkedTenant();
  const workspaceIds = which === 'own' ? [tenant.workspaceId] : [];
  const { keyId, ...key } = await withKey(tenant, { scope: 'workspace', workspaceIds, approvals: { decide: true } });
  for (const answer of [await key.get(KEYS), await key.post(KEYS, { name: 'x' }), await key.delete(`${KEYS}/${keyId}`)])
    expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_DENIED']);
});

test("a key with no workspaces gets empty lists, and is refused in its organization's workspace", async () => {
  const tenant = await checkedTenant();
  await tenant.api.must(201).post('/api/v1/mcp/servers', { name: 'x', workspaceId: tenant.workspaceId });
  const key = await withKey(tenant, { scope: 'workspace', workspaceIds: [] });
  for (const list of ['workspaces', 'mcp/servers', 'partials']) expect((await key.must(200).get(`/api/v1/${list}`)).total).toBe(0);
  expect(await key.get(`/api/v1/workspaces/${tenant.workspaceId}`)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
});

test('names of 1 and 200 characters are accepted, and the default scope is org', async () => {
  const tenant = await checkedTenant();
  for (const body of [{ name: 'x' }, { name: 'x'.repeat(200), permissions: { scope: 'org' } }]) {
    const { plainKey } = await tenant.api.must(200).post(KEYS, body);
    await checkedCaller(tenant.apiUrl, plainKey).must(200).get(`/api/v1/workspaces/${tenant.workspaceId}`);
  }
});
