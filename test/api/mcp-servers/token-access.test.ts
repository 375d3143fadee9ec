import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { postRpc } from './post-rpc.ts';

const SERVERS = '/api/v1/mcp/servers';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
  for (const externalId of ['ada', 'bob']) await anEndUser(externalId);
});
afterAll(() => bed.close());

async function anEndUser(externalId: string, workspaceId = bed.workspaceId) {
  return (await api.must(201).post('/api/v1/end-users', { workspaceId, externalId })).endUser;
}

async function aServer(fields: object = {}) {
  const body = { name: 'x', workspaceId: bed.workspaceId, authMode: 'oauth_and_bearer', ...fields };
  const { server, bearerToken } = await api.must(201).post(SERVERS, body);
  return { ...server, bearerToken, path: `${SERVERS}/${server.id}` };
}

const rpc = (serverId: string, token: string, method?: string, params?: object) => postRpc(bed.apiUrl, serverId, token, method, params);

const callTool = (serverId: string, token: string, name: string, input: object) =>
  rpc(serverId, token, 'tools/call', { name, arguments: input });

describe('a token', () => {
  async function aToken(kind: string, fields: object = {}) {
    const server = await aServer(fields);
    const endUser = await anEndUser(`${kind} ${server.id}`);
    const { accessToken, token } = await api.must(201).post(`${server.path}/${kind}`, { endUserId: endUser.externalId });
    expect((await rpc(server.id, accessToken)).status).toBe(200);
    return { server, endUser, record: token, status: async () => (await rpc(server.id, accessToken)).status };
  }

  test.each(['access-tokens', 'oauth-tokens'])('%s: a token is refused after its expiry', async (kind) => {
    const { record, status } = await aToken(kind);
    await bed.gateway.db('mcp_tokens').where({ id: record.id }).update({ expires_at: bed.gateway.db.fn.now() });
    expect(await status()).toBe(401);
  });

  test.each(['access-tokens', 'oauth-tokens'])('%s: a token is refused after its end user is deleted', async (kind) => {
    const { endUser, status } = await aToken(kind);
    await api.must(200).delete(`/api/v1/end-users/${endUser.id}`);
    expect(await status()).toBe(401);
  });

  test.each([
    ['access-tokens', 'oauth'],
    ['oauth-tokens', 'bearer'],
  ])('%s: a token is refused while authMode is %s', async (kind, authMode) => {
    const { server, status } = await aToken(kind);
    await api.must(200).patch(server.path, { authMode });
    expect(await status()).toBe(401);
    await api.must(200).patch(server.path, { authMode: 'oauth_and_bearer' });
    expect(await status()).toBe(200);
  });

  test('a token is refused if its server is scoped to another end user', async () => {
    const { server, endUser, status } = await aToken('access-tokens');
    await api.must(200).patch(server.path, { endUserId: endUser.externalId });
    expect(await status()).toBe(200);
    await api.must(200).patch(server.path, { endUserId: 'bob' });
    expect(await status()).toBe(401);
  });

  test('a token is refused by another server, and after its server is deleted', async () => {
    const { server, status } = await aToken('oauth-tokens');
    const { accessToken } = await api.must(201).post(`${server.path}/oauth-tokens`, { endUserId: 'ada' });
    expect((await rpc((await aServer()).id, accessToken)).status).toBe(401);
    await api.must(200).delete(server.path);
    expect(await status()).toBe(401);
  });
});

describe('scopes', () => {
  test('on a CODE server, a token with only mcp:tools can search; running code answers INSUFFICIENT_SCOPE', async () => {
    const server = await aServer({ mode: 'CODE' });
    const { accessToken } = await api.must(201).post(`${server.path}/access-tokens`, { endUserId: 'ada', scopes: ['mcp:tools'] });
    expect((await callTool(server.id, accessToken, 'svc_search', {})).status).toBe(200);
    expect(await callTool(server.id, accessToken, 'svc_execute', { code: 'return 1' })).toMatchObject({
      status: 403,
      challenge: expect.stringMatching(/^Bearer error="insufficient_scope",.* scope="mcp:tools mcp:code"$/),
      body: { code: 'INSUFFICIENT_SCOPE', details: { missing: ['mcp:code'] } },
    });
  });

  test('mcp:code alone allows listing tools and running code; mcp:tools alone does not allow running code', async () => {
    const server = await aServer({ mode: 'CODE' });
    const tokenWith = async (scope: string) =>
      (await api.must(201).post(`${server.path}/oauth-tokens`, { endUserId: 'ada', scopes: [scope] })).accessToken;
    const [code, tools] = [await tokenWith('mcp:code'), await tokenWith('mcp:tools')];
    for (const token of [code, tools]) expect((await rpc(server.id, token, 'tools/list')).status).toBe(200);
    expect((await callTool(server.id, code, 'svc_execute', { code: '' })).status).toBe(200);
    expect((await callTool(server.id, tools, 'svc_execute', { code: '' })).body.code).toBe('INSUFFICIENT_SCOPE');
  });

  test('changing the mode to CODE gives new scopes only to the static token', async () => {
    const server = await aServer();
    const { accessToken } = await api.must(201).post(`${server.path}/access-tokens`, { endUserId: 'ada' });
    await api.must(200).patch(server.path, { mode: 'CODE' });
    expect((await callTool(server.id, accessToken, 'svc_execute', { code: '' })).status).toBe(403);
    expect((await callTool(server.id, server.bearerToken, 'svc_execute', { code: '' })).status).toBe(200);
  });
});

test("a call runs as the token's end user, and its approval names this end user", async () => {
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'x', slug: 'as-whom' });
  const place = { workspaceId: workspace.id };
  await api.must(201).post(`/api/v1/workspaces/${workspace.id}/integrations`, { integrationName: 'kv-store' });
  const server = await aServer(place);
  const tokenOf = async (externalId: string) => {
    await anEndUser(externalId, workspace.id);
    return api.must(201).post(`${server.path}/access-tokens`, { endUserId: externalId });
  };
  const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')];
  await callTool(server.id, ada.accessToken, 'kv-store__put', { key: 'k', value: 'of ada' });
  const get = async (token: string) => (await callTool(server.id, token, 'kv-store__get', { key: 'k' })).body.result.structuredContent;
  expect([(await get(ada.accessToken)).value, (await get(bob.accessToken)).value]).toEqual(['of ada', null]);

  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', ...place, endUserMode: 'end_user_present' });
  const { approval: asked } = await get(bob.accessToken);
  const { approval } = await api.must(200).get(`/api/v1/approvals/${asked.id}`);
  expect(approval).toMatchObject({ endUserId: 'bob', requestedByType: 'mcp_token', requestedById: bob.token.id, mcpServerId: server.id });
});
