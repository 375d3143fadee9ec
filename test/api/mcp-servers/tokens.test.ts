import { issueEndUserToken } from '../../../commands/access/issue-end-user-token.ts';
import { findMcpServer } from '../../../store/mcp-servers.ts';
import type { Caller } from '../../support/caller.ts';
import { until } from '../../support/until.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { postRpc } from './post-rpc.ts';

const SERVERS = '/api/v1/mcp/servers';
const DAY = 24 * 60 * 60;

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

const secondsUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 1000);

test('an end-user bearer token is returned once, with its record, and grants access', async () => {
  const server = await aServer();
  const { accessToken, bearerToken, token, mcpEndpoint } = await api.must(201).post(`${server.path}/access-tokens`, { endUserId: 'ada' });
  expect(accessToken).toMatch(/^mcp_[0-9A-Za-z]{49}$/);
  expect(bearerToken).toBe(accessToken);
  expect(mcpEndpoint).toBe(server.mcpEndpoint);
  expect(token).toEqual({
    id: expect.any(String),
    tokenPrefix: accessToken.slice(0, 12),
    scopes: ['mcp:tools'],
    endUserId: 'ada',
    authMethod: 'bearer',
    tokenType: 'mcp_bearer',
    expiresAt: expect.any(String),
    createdAt: expect.any(String),
  });
  expect(Math.abs(secondsUntil(token.expiresAt) - 30 * DAY)).toBeLessThan(60);
  expect((await rpc(server.id, accessToken)).status).toBe(200);
});

test.each(['access-tokens', 'oauth-tokens'])('lists of %s show the last use of each token', async (family) => {
  const server = await aServer();
  const { accessToken, token } = await api.must(201).post(`${server.path}/${family}`, { endUserId: 'ada' });
  const listed = async () => (await api.must(200).get(`${server.path}/${family}`)).tokens;
  expect(await listed()).toEqual([{ ...token, clientName: null, lastUsedAt: null }]);
  expect((await rpc(server.id, accessToken)).status).toBe(200);
  // The service records the use after the answer.
  await until(async () => (await listed())[0].lastUsedAt !== null);
  expect(Math.abs(secondsUntil((await listed())[0].lastUsedAt))).toBeLessThan(60);
});

test('an MCP OAuth token is returned once, and grants access', async () => {
  const server = await aServer({ authMode: 'oauth', mode: 'CODE' });
  const answer = await api.must(201).post(`${server.path}/oauth-tokens`, { endUserId: 'ada' });
  expect(answer).toEqual({
    accessToken: expect.stringMatching(/^mcpo_[0-9A-Za-z]{49}$/),
    token: {
      id: expect.any(String),
      tokenPrefix: answer.accessToken.slice(0, 13),
      scopes: ['mcp:tools', 'mcp:code'],
      endUserId: 'ada',
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    },
    mcpEndpoint: server.mcpEndpoint,
  });
  expect((await rpc(server.id, answer.accessToken)).status).toBe(200);
});

describe.each(['access-tokens', 'oauth-tokens'])('%s', (kind) => {
  test.each([
    [299, 400],
    [300, 201],
    [90 * DAY, 201],
    [90 * DAY + 1, 400],
    ['300', 400],
    [null, 400],
  ])('expiresIn %j answers status %i', async (expiresIn, status) => {
    const { path } = await aServer();
    const answer = await api.post(`${path}/${kind}`, { endUserId: 'ada', expiresIn });
    expect([answer.status, answer.body.code]).toEqual([status, status === 400 ? 'VALIDATION_ERROR' : undefined]);
    if (status === 201) expect(Math.abs(secondsUntil(answer.body.token.expiresAt) - Number(expiresIn))).toBeLessThan(60);
  });

  test.each([
    ['no end user', {}],
    ['an empty end user', { endUserId: '' }],
    ['scopes that are not a list', { endUserId: 'ada', scopes: 'mcp:tools' }],
    ['an empty list of scopes', { endUserId: 'ada', scopes: [] }],
    ['an unknown field', { endUserId: 'ada', name: 'x' }],
    ['no body', undefined],
  ])('%s is refused', async (_, body) => {
    const { path } = await aServer();
    expect(await api.post(`${path}/${kind}`, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  test("the default scopes are those of the server's mode; a request can name fewer", async () => {
    const [tools, code] = [await aServer(), await aServer({ mode: 'CODE' })];
    const ask = async (path: string, scopes?: string[]) => (await api.post(`${path}/${kind}`, { endUserId: 'ada', scopes })).body;
    expect((await ask(tools.path)).token.scopes).toEqual(['mcp:tools']);
    expect((await ask(code.path)).token.scopes).toEqual(['mcp:tools', 'mcp:code']);
    expect((await ask(code.path, ['mcp:code', 'mcp:tools', 'mcp:code'])).token.scopes).toEqual(['mcp:tools', 'mcp:code']);
    expect((await ask(code.path, ['mcp:tools'])).token.scopes).toEqual(['mcp:tools']);
    for (const [path, scope] of [
      [tools.path, 'mcp:code'],
      [tools.path, 'admin'],
      [code.path, ''],
    ] as const) {
      expect((await api.post(`${path}/${kind}`, { endUserId: 'ada', scopes: ['mcp:tools', scope] })).body.code).toBe('INVALID_MCP_SCOPES');
    }
  });

  test("endUserId is an external id or an id of an end user in the server's workspace", async () => {
    const { path } = await aServer();
    const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'x', slug: `other-${kind}` });
    const carol = await anEndUser(`carol ${kind}`);
    const foreign = await anEndUser('eve', workspace.id);
    for (const endUserId of [carol.id, carol.id.toUpperCase(), carol.externalId])
      expect((await api.must(201).post(`${path}/${kind}`, { endUserId })).token.endUserId).toBe(carol.externalId);
    for (const endUserId of ['nobody', 'eve', foreign.id, '00000000-0000-4000-8000-000000000000'])
      expect(await api.post(`${path}/${kind}`, { endUserId })).toMatchObject({ status: 404, body: { code: 'END_USER_NOT_FOUND' } });
  });

  test('an endUserId that matches two end users is refused; their other ids are accepted', async () => {
    const { path } = await aServer();
    const first = await anEndUser(`first ${kind}`);
    const second = await anEndUser(first.id);
    expect(await api.post(`${path}/${kind}`, { endUserId: first.id })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'endUserId' }] } },
    });
    for (const [endUserId, whose] of [
      [first.externalId, first],
      [second.id, second],
    ])
      expect((await api.must(201).post(`${path}/${kind}`, { endUserId })).token.endUserId).toBe(whose.externalId);
  });

  test('a server scoped to one end user issues tokens only for that end user', async () => {
    const { path } = await aServer({ endUserId: 'ada' });
    await api.must(201).post(`${path}/${kind}`, { endUserId: 'ada' });
    expect(await api.post(`${path}/${kind}`, { endUserId: 'bob' })).toMatchObject({ status: 404, body: { code: 'END_USER_NOT_FOUND' } });
  });

  test('the checks run in this order: body, server, scopes, end user, configuration', async () => {
    const nowhere = `${SERVERS}/00000000-0000-4000-8000-000000000000/${kind}`;
    expect((await api.post(nowhere, {})).body.code).toBe('VALIDATION_ERROR');
    expect((await api.post(nowhere, { endUserId: 'ada' })).body.code).toBe('NOT_FOUND');
    const off = await aServer({ authMode: kind === 'oauth-tokens' ? 'bearer' : 'oauth' });
    const ask = async (body: object) => (await api.post(`${off.path}/${kind}`, body)).body.code;
    expect(await ask({ endUserId: 'nobody', scopes: ['mcp:code'] })).toBe('INVALID_MCP_SCOPES');
    expect(await ask({ endUserId: 'nobody' })).toBe('END_USER_NOT_FOUND');
    expect(await api.post(`${off.path}/${kind}`, { endUserId: 'ada' })).toMatchObject({
      status: 409,
      body: { code: kind === 'oauth-tokens' ? 'MCP_OAUTH_DISABLED' : 'MCP_BEARER_DISABLED' },
    });
  });
});

test('a server without a workspace issues no tokens', async () => {
  const server = (await findMcpServer(bed.gateway.db, bed.orgId, (await aServer()).id))!;
  const [by, request] = [{ type: 'system', id: null } as const, { kind: 'end_user', endUserId: 'ada', expiresIn: 300 } as const];
  const issue = issueEndUserToken(bed.gateway, by, { ...server, workspaceId: '' }, request);
  await expect(issue).rejects.toMatchObject({ code: 'WORKSPACE_REQUIRED', status: 400 });
});

test("issuing a token deletes only the server's expired tokens", async () => {
  const server = await aServer();
  const issue = async () => (await api.must(201).post(`${server.path}/access-tokens`, { endUserId: 'ada' })).token.id;
  const [expired, good] = [await issue(), await issue()];
  const tokens = bed.gateway.db('mcp_tokens');
  await tokens
    .clone()
    .where({ id: expired })
    .update({ expires_at: new Date(0) });
  const latest = await issue();
  const rows = await tokens.clone().where({ server_id: server.id, kind: 'end_user' }).orderBy('created_at');
  expect(rows.map(({ id }) => id)).toEqual([good, latest]);
  expect((await rpc(server.id, server.bearerToken)).status).toBe(200);
});

test('later answers and the database contain no plain token', async () => {
  const server = await aServer();
  const { accessToken } = await api.must(201).post(`${server.path}/access-tokens`, { endUserId: 'ada' });
  const rows = await bed.gateway.db('mcp_tokens').where({ server_id: server.id });
  expect(JSON.stringify([await api.get(server.path), await api.get(SERVERS), rows])).not.toContain(accessToken.slice(13));
});
