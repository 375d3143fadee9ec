import { type ApiBed, openApiBed } from '../api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ QUOTA_MCP_SERVERS: '12' });
});
afterAll(() => bed.close());

async function aWorkspaceOf({ api }: ApiBed, slug: string) {
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  return { workspaceId: workspace.id as string, integrations: `/api/v1/workspaces/${workspace.id}/integrations` };
}

test('fixed and per_user_with_fallback require a connection for an integration with accounts', async () => {
  const { integrations } = await aWorkspaceOf(bed, 'strategies');
  for (const connectionStrategy of ['fixed', 'per_user_with_fallback', undefined]) {
    const answer = await bed.api.post(integrations, { integrationName: 'mail', connectionStrategy });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'connectionId' }] } } });
  }
  const { integration } = await bed.api.must(201).post(integrations, { integrationName: 'mail', connectionStrategy: 'per_user' });
  expect(await bed.api.patch(`${integrations}/${integration.id}`, { connectionStrategy: 'fixed' })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test('a workspace cannot have both a shared static token and a per_user integration that needs accounts', async () => {
  const { workspaceId, integrations } = await aWorkspaceOf(bed, 'strict');
  const strict = { integrationName: 'mail', connectionStrategy: 'per_user' };
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'shared', workspaceId, authMode: 'bearer' });
  expect(await bed.api.post(integrations, strict)).toMatchObject({
    status: 409,
    body: { code: 'MCP_BEARER_BLOCKS_PER_USER', details: { mcpServerIds: [server.id] } },
  });
  await bed.api.must(201).post(integrations, { integrationName: 'datetime', connectionStrategy: 'per_user' });

  await bed.api.must(200).patch(`/api/v1/mcp/servers/${server.id}`, { authMode: 'oauth' });
  await bed.api.must(201).post(integrations, strict);
  const second = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'second', workspaceId, authMode: 'bearer' });
  expect(second).not.toHaveProperty('bearerToken');
  expect(await bed.api.post(`/api/v1/mcp/servers/${second.server.id}/regenerate-token`)).toMatchObject({
    status: 409,
    body: { code: 'MCP_STATIC_BEARER_INCOMPATIBLE' },
  });
});

test('a server without a static token does not restrict per_user integrations', async () => {
  const { workspaceId, integrations } = await aWorkspaceOf(bed, 'beside');
  const { integration } = await bed.api.must(201).post(integrations, { integrationName: 'mail', connectionStrategy: 'per_user' });
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'no token', workspaceId, authMode: 'bearer' });
  const path = `${integrations}/${integration.id}`;
  await bed.api.must(200).patch(path, { displayName: 'Post', connectionStrategy: 'per_user' });
  await bed.api.must(201).post(integrations, { integrationName: 'mail', alias: 'second', connectionStrategy: 'per_user' });
  expect(await bed.api.post(`/api/v1/mcp/servers/${server.id}/regenerate-token`)).toMatchObject({
    status: 409,
    body: { code: 'MCP_STATIC_BEARER_INCOMPATIBLE' },
  });
});

test('the static token of a server for one end user is compatible with a per_user integration', async () => {
  const { workspaceId, integrations } = await aWorkspaceOf(bed, 'scoped');
  await bed.gateway.db('end_users').insert({ org_id: bed.orgId, workspace_id: workspaceId, external_id: 'ada' });
  const scoped = { name: 'scoped', workspaceId, authMode: 'bearer', endUserId: 'ada' };
  const first = await bed.api.must(201).post('/api/v1/mcp/servers', scoped);
  expect(first).toMatchObject({ server: { endUserId: 'ada' }, bearerToken: expect.stringMatching(/^mcp_/) });
  await bed.api.must(201).post(integrations, { integrationName: 'mail', connectionStrategy: 'per_user' });
  expect((await bed.api.must(201).post('/api/v1/mcp/servers', scoped)).bearerToken).toMatch(/^mcp_/);
  const unscoped = await bed.api.must(200).patch(`/api/v1/mcp/servers/${first.server.id}`, { endUserId: null });
  expect([unscoped.server.endUserId, 'bearerToken' in unscoped]).toEqual([null, false]);
});

test('the quota of servers holds under concurrent requests', async () => {
  const { workspaceId } = await aWorkspaceOf(bed, 'quota');
  const { total } = await bed.api.must(200).get('/api/v1/mcp/servers');
  const answers = await Promise.all(Array.from({ length: 14 }, () => bed.api.post('/api/v1/mcp/servers', { name: 'x', workspaceId })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(12 - total);
  expect(answers.filter(({ status, body }) => status === 403 && body.code === 'QUOTA_EXCEEDED')).toHaveLength(2 + total);
});
