import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const SERVERS = '/api/v1/mcp/servers';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

const create = (fields: object = {}) => api.post(SERVERS, { name: 'x', workspaceId: bed.workspaceId, ...fields });
const aServer = async (fields: object = {}) => {
  const { status, body } = await create(fields);
  expect(status).toBe(201);
  return { ...body.server, path: `${SERVERS}/${body.server.id}` };
};

test.each([
  ['name', 1, 200],
  ['description', 0, 2000],
  ['createdBy', 0, 200],
  ['endUserId', 1, 200],
])('%s has %i to %i characters', async (field, min, max) => {
  for (const [length, fits] of [
    [min - 1, false],
    [min, true],
    [max, true],
    [max + 1, false],
  ] as const) {
    if (length < 0) continue;
    const { body } = await create({ [field]: 'x'.repeat(length) });
    expect([field, length, body.code === 'VALIDATION_ERROR']).toEqual([field, length, !fits]);
  }
});

test('PATCH leaves absent fields unchanged; only description and endUserId accept null', async () => {
  await api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'ada' });
  const settings = { codeMode: { approvalWaitSeconds: 7 } };
  const server = await aServer({ mode: 'CODE', description: 'd', endUserId: 'ada', createdBy: 'me', settings, endUserAccess: 'open' });
  const { path, ...shown } = server;
  const { server: renamed } = await api.must(200).patch(path, { name: 'y' });
  expect(renamed).toEqual({ ...shown, name: 'y', updatedAt: renamed.updatedAt });
  expect((await api.must(200).patch(path, { description: null, endUserId: null })).server).toMatchObject({
    description: null,
    endUserId: null,
  });
  expect((await api.must(200).patch(path, { settings: {} })).server.settings).toEqual({ codeMode: { approvalWaitSeconds: 0 } });
  expect((await api.must(200).patch(path, { endUserId: 'ada', endUserAccess: 'restricted' })).server).toMatchObject({
    endUserId: 'ada',
    endUserAccess: 'restricted',
  });
  const wrong = [
    {},
    { name: null },
    { settings: null },
    { createdBy: 'you' },
    { workspaceId: bed.workspaceId },
    { settings: { other: 1 } },
  ];
  for (const body of wrong) expect(await api.patch(path, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('an end user of another workspace is not found', async () => {
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'x', slug: 'elsewhere' });
  const { endUser } = await api.must(201).post('/api/v1/end-users', { workspaceId: workspace.id, externalId: 'eve' });
  const { path } = await aServer();
  for (const endUserId of ['eve', endUser.id]) {
    expect(await create({ endUserId })).toMatchObject({ status: 404, body: { code: 'END_USER_NOT_FOUND' } });
    expect(await api.patch(path, { endUserId })).toMatchObject({ status: 404, body: { code: 'END_USER_NOT_FOUND' } });
  }
});

test('a suspended server is listed only with includeSuspended, but can always be read by id', async () => {
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'x', slug: 'suspended' });
  const [open, suspended] = [await aServer({ workspaceId: workspace.id }), await aServer({ workspaceId: workspace.id })];
  await bed.gateway.db('mcp_servers').where({ id: suspended.id }).update({ suspended_at: bed.gateway.db.fn.now() });
  const list = async (query: string) => {
    const { servers, total } = await api.must(200).get(`${SERVERS}?workspaceId=${workspace.id}${query}`);
    return [servers.map(({ id }: { id: string }) => id), total];
  };
  for (const query of ['', '&includeSuspended=false']) expect(await list(query)).toEqual([[open.id], 1]);
  expect(await list('&includeSuspended=true')).toEqual([[open.id, suspended.id], 2]);
  await api.must(200).get(suspended.path);
});

test('regenerating revokes the old static token immediately', async () => {
  const { body } = await create({ authMode: 'bearer' });
  const path = `${SERVERS}/${body.server.id}`;
  const ping = async (token: string) =>
    (
      await fetch(`${bed.apiUrl}/mcp/srv_${body.server.id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      })
    ).status;
  const { bearerToken } = await api.must(200).post(`${path}/regenerate-token`);
  expect([await ping(body.bearerToken), await ping(bearerToken)]).toEqual([401, 200]);
  await api.must(200).patch(path, { authMode: 'oauth' });
  expect(await ping(bearerToken)).toBe(401);
  expect(await api.post(`${path}/regenerate-token`)).toMatchObject({ status: 409, body: { code: 'MCP_BEARER_DISABLED' } });
  const again = await api.must(200).patch(path, { authMode: 'oauth_and_bearer' });
  expect([await ping(bearerToken), await ping(again.bearerToken)]).toEqual([401, 200]);
});

test('twenty concurrent regenerations leave one valid token', async () => {
  const { body } = await create({ authMode: 'bearer' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(`${SERVERS}/${body.server.id}/regenerate-token`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await bed.gateway.db('mcp_tokens').where({ server_id: body.server.id })).toHaveLength(1);
});

test('deleting a server while tools and tokens are added causes no orphan and no 5xx', async () => {
  await api.post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'grace' });
  const { path, id } = await aServer({ authMode: 'bearer' });
  const add = (n: number) =>
    n % 2
      ? api.post(`${path}/tools`, { integrationName: 'datetime', actionName: 'parse_date', integrationAlias: `a${n}` })
      : api.post(`${path}/access-tokens`, { endUserId: 'grace' });
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => add(n)),
    api.delete(path),
    ...Array.from({ length: 10 }, (_, n) => add(n + 10)),
  ]);
  for (const { status } of answers) expect([200, 201, 404]).toContain(status);
  for (const table of ['mcp_tools', 'mcp_tokens']) expect(await bed.gateway.db(table).where({ server_id: id })).toEqual([]);
});
