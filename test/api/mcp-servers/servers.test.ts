import { checkedTenant } from '../checked-caller.ts';

const SERVERS = '/api/v1/mcp/servers';

test('a server has the specified defaults', async () => {
  const { api, workspaceId, orgId, apiUrl } = await checkedTenant();
  const { server, mcpEndpoint, ...rest } = await api.must(201).post(SERVERS, { name: 'Agents', workspaceId });
  expect(server).toMatchObject({
    orgId,
    workspaceId,
    name: 'Agents',
    description: null,
    mode: 'TOOLS',
    settings: {},
    authMode: 'oauth',
    endUserAccess: 'restricted',
    auth: {
      oauthEnabled: true,
      bearerEnabled: false,
      staticBearerEnabled: false,
      endUserBearerTokensEnabled: false,
      accessTokensEnabled: false,
    },
    endUserId: null,
    createdBy: null,
  });
  expect(mcpEndpoint).toBe(`${apiUrl}/mcp/srv_${server.id}`);
  expect(server.mcpEndpoint).toBe(mcpEndpoint);
  expect(rest).toEqual({});
  expect(await api.must(200).get(`${SERVERS}/${server.id}`)).toEqual({ server, tools: [] });
});

test.each([
  ['oauth', [true, false], false],
  ['bearer', [false, true], true],
  ['oauth_and_bearer', [true, true], true],
] as const)(
  'authMode %s sets the flags; the creation returns the static token, if any, and reads do not',
  async (authMode, [oauth, bearer], hasToken) => {
    const { api, workspaceId } = await checkedTenant();
    const { server, bearerToken } = await api.must(201).post(SERVERS, { name: 'x', workspaceId, authMode });
    expect(server.auth).toEqual({
      oauthEnabled: oauth,
      bearerEnabled: bearer,
      staticBearerEnabled: bearer,
      endUserBearerTokensEnabled: bearer,
      accessTokensEnabled: bearer,
    });
    expect(bearerToken).toEqual(hasToken ? expect.stringMatching(/^mcp_[0-9A-Za-z]{49}$/) : undefined);
    expect(JSON.stringify([await api.must(200).get(SERVERS), await api.must(200).get(`${SERVERS}/${server.id}`)])).not.toContain('mcp_');
  },
);

test.each([
  [-1, 400],
  [0, 201],
  [60, 201],
  [61, 400],
  [1.5, 400],
  ['5', 400],
])('approvalWaitSeconds %j answers status %i', async (approvalWaitSeconds, status) => {
  const { api, workspaceId } = await checkedTenant();
  const answer = await api.post(SERVERS, { name: 'x', workspaceId, mode: 'CODE', settings: { codeMode: { approvalWaitSeconds } } });
  expect(answer.status).toBe(status);
  if (status === 201) expect(answer.body.server.settings).toEqual({ codeMode: { approvalWaitSeconds } });
});

test('a CODE server shows its effective approval wait', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { server } = await api.must(201).post(SERVERS, { name: 'x', workspaceId, mode: 'CODE' });
  expect(server.settings).toEqual({ codeMode: { approvalWaitSeconds: 0 } });
});

test.each([
  ['no name', { name: undefined }],
  ['an empty name', { name: '' }],
  ['no workspace', { workspaceId: undefined }],
  ['an unknown mode', { mode: 'MAGIC' }],
  ['an unknown authMode', { authMode: 'none' }],
  ['an unknown endUserAccess', { endUserAccess: 'all' }],
  ['an unknown setting', { settings: { codeMode: { wait: 1 } } }],
  ['an unknown field', { suspended: true }],
])('%s is refused', async (_, fields) => {
  const { api, workspaceId } = await checkedTenant();
  expect(await api.post(SERVERS, { name: 'x', workspaceId, ...fields })).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('an unknown workspace and an unknown end user each have their own error code', async () => {
  const { api, workspaceId } = await checkedTenant();
  expect(await api.post(SERVERS, { name: 'x', workspaceId: '11111111-1111-1111-1111-111111111111' })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect(await api.post(SERVERS, { name: 'x', workspaceId, endUserId: 'nobody' })).toMatchObject({
    status: 404,
    body: { code: 'END_USER_NOT_FOUND' },
  });
  expect((await api.must(200).get(SERVERS)).total).toBe(0);
});

test('servers can be filtered by workspace and are paged', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'Other', slug: 'other' });
  for (const name of ['a', 'b', 'c']) await api.must(201).post(SERVERS, { name, workspaceId });
  await api.must(201).post(SERVERS, { name: 'd', workspaceId: workspace.id });
  const names = ({ servers }: { servers: { name: string }[] }) => servers.map(({ name }) => name);
  expect(names(await api.must(200).get(SERVERS))).toEqual(['a', 'b', 'c', 'd']);
  const page = await api.must(200).get(`${SERVERS}?workspaceId=${workspaceId}&limit=2&offset=1&includeSuspended=true`);
  expect([names(page), page.total]).toEqual([['b', 'c'], 3]);
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'workspaceId=x', 'includeSuspended=perhaps']) {
    expect(await api.get(`${SERVERS}?${query}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  }
});

test('enabling the static token in a PATCH returns a token; disabling revokes this token', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { server } = await api.must(201).post(SERVERS, { name: 'x', workspaceId });
  const path = `${SERVERS}/${server.id}`;
  const on = await api.must(200).patch(path, { authMode: 'bearer', description: 'For agents', mode: 'CODE' });
  expect(on.server).toMatchObject({ name: 'x', description: 'For agents', authMode: 'bearer', mode: 'CODE' });
  expect(on.bearerToken).toMatch(/^mcp_/);
  expect(await api.must(200).patch(path, { name: 'y' })).toEqual({
    server: expect.objectContaining({ name: 'y', description: 'For agents' }),
  });
  await api.must(200).patch(path, { authMode: 'oauth' });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const asToken = { authorization: `Bearer ${on.bearerToken}`, 'content-type': 'application/json' };
  expect((await fetch(on.server.mcpEndpoint, { method: 'POST', headers: asToken, body: JSON.stringify(ping) })).status).toBe(401);
  expect(await api.patch(path, {})).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(await api.patch(path, { endUserId: 'nobody' })).toMatchObject({ status: 404, body: { code: 'END_USER_NOT_FOUND' } });
  expect((await api.must(200).patch(path, { endUserId: null })).server.endUserId).toBeNull();
});

test('regenerate-token returns a new token if static bearer is enabled', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { server, bearerToken } = await api.must(201).post(SERVERS, { name: 'x', workspaceId, authMode: 'bearer' });
  const fresh = await api.must(200).post(`${SERVERS}/${server.id}/regenerate-token`);
  expect(fresh).toEqual({ bearerToken: expect.stringMatching(/^mcp_/), mcpEndpoint: server.mcpEndpoint });
  expect(fresh.bearerToken).not.toBe(bearerToken);
  const oauth = await api.must(201).post(SERVERS, { name: 'x', workspaceId });
  expect(await api.post(`${SERVERS}/${oauth.server.id}/regenerate-token`, {})).toMatchObject({
    status: 409,
    body: { code: 'MCP_BEARER_DISABLED' },
  });
  expect(await api.post(`${SERVERS}/${oauth.server.id}/regenerate-token`, { force: true })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test('deleting a server also deletes its tools', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { server } = await api.must(201).post(SERVERS, { name: 'x', workspaceId });
  const { tool } = await api.must(201).post(`${SERVERS}/${server.id}/tools`, { integrationName: 'datetime', actionName: 'parse_date' });
  expect(await api.must(200).delete(`${SERVERS}/${server.id}`)).toEqual({ deleted: true, id: server.id });
  for (const answer of [
    await api.get(`${SERVERS}/${server.id}`),
    await api.delete(`${SERVERS}/${server.id}`),
    await api.delete(`${SERVERS}/${server.id}/tools/${tool.id}`),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});
