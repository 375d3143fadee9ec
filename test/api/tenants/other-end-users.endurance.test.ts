import { type Fake, openFake } from '../../integrations/providers/provider-bed.ts';
import type { ApiAnswer } from '../../support/caller.ts';
import { callerOf } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { submit } from '../connect/connect-bed.ts';
import { read } from '../pages/page-bed.ts';
import { insertFinishedRun } from './finished-run.ts';

const SERVERS = '/api/v1/mcp/servers';
const METHOD = 'api-key';
const EXECUTE = '/api/v1/actions/execute';
const SECRETS = { alice: 'sk-of-alice', bob: 'sk-of-bob' };

let bed: ApiBed;
let openai: Fake;
let place: { workspaceId: string };
let aliceConnectionId: string;
let instanceId: string;
/** `shared` and `code` serve all end users. */
let shared: string;
let code: string;
let ofAlice: string;
let ofBob: string;
let bobsPortal: string;

beforeAll(async () => {
  [bed, openai] = await Promise.all([openApiBed(), openFake('https://api.openai.com')]);
  Object.assign(bed.gateway, { outbound: openai.outbound });
  openai.answers({ body: { data: [] } });
  bed.gateway.config.platformUrl = bed.apiUrl;
  place = { workspaceId: bed.workspaceId };
  const make = bed.api.must(201);
  const aServer = async (fields: object) => (await make.post(SERVERS, { name: 'x', ...place, authMode: 'bearer', ...fields })).server.id;
  const people: Record<string, string> = {};
  for (const externalId of ['alice', 'bob'])
    people[externalId] = (await make.post('/api/v1/end-users', { ...place, externalId })).endUser.id;
  const configure = async (fields: object) =>
    (await make.post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, fields)).integration.id;
  instanceId = await configure({ integrationName: 'openai', connectionStrategy: 'per_user' });
  await configure({ integrationName: 'kv-store', settings: { persistence: { scope: 'end_user' } } });
  const account = {
    ...place,
    integrationName: 'openai',
    externalId: 'hers',
    displayName: "Alice's account",
    type: 'SECRET_TEXT',
    secretText: SECRETS.alice,
  };
  aliceConnectionId = (await make.post('/api/v1/connections', { ...account, endUserId: 'alice' })).connection.id;
  [shared, code, ofAlice, ofBob] = [
    await aServer({ mode: 'TOOLS' }),
    await aServer({ mode: 'CODE' }),
    await aServer({ mode: 'TOOLS', endUserId: 'alice' }),
    await aServer({ mode: 'TOOLS', endUserId: 'bob' }),
  ];
  bobsPortal = (await bed.api.must(200).post(`/api/v1/end-users/${people.bob}/connect-token`)).connectUrl;
});
afterAll(() => Promise.all([bed?.close(), openai?.close()]));
// After each attempt of bob, alice's account must be unchanged and still belong to alice.
afterEach(async () => {
  const stored = await bed.gateway.db('connections').where({ id: aliceConnectionId }).first();
  expect(stored).toMatchObject({ credentials_version: 1, status: 'ACTIVE', external_id: 'hers' });
  expect(await accountOf(models('alice'))).toBe(SECRETS.alice);
});

const models = (endUserId: string | undefined, fields: object = {}) =>
  bed.api.post(EXECUTE, { ...place, integrationName: 'openai', actionName: 'list_models', input: {}, endUserId, ...fields });
const said = ({ status, body }: ApiAnswer) => (body?.code ? `${status} ${body.code}` : `${status}`);

/** Returns the secret that the third party received, if it was called. */
async function accountOf(call: Promise<ApiAnswer>): Promise<string | undefined> {
  openai.seen.length = 0;
  await call;
  return openai.seen[0]?.headers.authorization?.replace('Bearer ', '');
}

async function tokenOf(endUserId: string, serverId: string): Promise<string> {
  return (await bed.api.must(201).post(`${SERVERS}/${serverId}/access-tokens`, { endUserId })).accessToken;
}

async function call(token: string, serverId: string, name: string, input: object): Promise<ApiAnswer> {
  const params = { name, arguments: input };
  return callerOf(bed.apiUrl, token).post(
    `/mcp/srv_${serverId}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { accept: 'application/json, text/event-stream' },
  );
}

const aFinishedRun = (endUserId: string | null, mcpServerId = code) => insertFinishedRun(bed, mcpServerId, endUserId);

describe("a key that acts for bob does not reach alice's account", () => {
  test.each<[string, string | undefined, object, string]>([
    ['by the strategy', 'bob', {}, '400 CONNECTION_REQUIRED'],
    ['by its name', 'bob', { connectionExternalId: 'hers' }, '404 CONNECTION_NOT_FOUND'],
    ['by its name, without an end user', undefined, { connectionExternalId: 'hers' }, '404 CONNECTION_NOT_FOUND'],
    ['through the instance, by its name', 'bob', { integrationAlias: 'openai', connectionExternalId: 'hers' }, '404 CONNECTION_NOT_FOUND'],
  ])('in a call: %s', async (_, endUserId, fields, expected) => {
    openai.seen.length = 0;
    const answer = await models(endUserId, fields);
    expect([said(answer), openai.seen]).toEqual([expected, []]);
    expect(JSON.stringify(answer.body)).not.toContain('alice');
  });

  test('by asking which connection a call would use', async () => {
    const resolve = (fields: object) => bed.api.post('/api/v1/connections/resolve', { ...place, integrationName: 'openai', ...fields });
    for (const fields of [{ endUserId: 'bob' }, { endUserId: 'bob', externalId: 'hers' }, { externalId: 'hers' }])
      expect(said(await resolve(fields))).toBe('404 CONNECTION_NOT_FOUND');
    expect((await resolve({ endUserId: 'alice', externalId: 'hers' })).body.connection.id).toBe(aliceConnectionId);
  });

  test.each(['options', 'resolve'])('in the request properties/%s', async (kind) => {
    const ask = (fields: object) =>
      bed.api.post(`/api/v1/integrations/openai/properties/${kind}`, {
        ...{ ...place, actionName: 'ask_chatgpt', propertyName: 'model', ...fields },
      });
    expect(await accountOf(ask({ endUserId: 'bob' }))).toBeUndefined();
    expect(said(await ask({ endUserId: 'bob', connectionExternalId: 'hers' }))).toBe('404 CONNECTION_NOT_FOUND');
    expect(openai.seen).toEqual([]);
  });

  test('in the list of bob’s connections', async () => {
    expect((await bed.api.must(200).get('/api/v1/connections?endUserId=bob')).connections).toEqual([]);
  });

  test("a workspace integration cannot use alice's account for all end users", async () => {
    const path = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
    const fixed = { connectionStrategy: 'fixed', connectionId: aliceConnectionId };
    expect(said(await bed.api.post(path, { integrationName: 'openai', alias: 'for-all', ...fixed }))).toBe('400 VALIDATION_ERROR');
    expect(said(await bed.api.patch(`${path}/${instanceId}`, fixed))).toBe('400 VALIDATION_ERROR');
  });

  test("bob's calls of a tool do not use alice's account, even after her server is assigned to bob", async () => {
    const add = (server: string) =>
      bed.api.post(`${SERVERS}/${server}/tools`, {
        ...{ integrationName: 'openai', actionName: 'list_models', integrationAlias: 'hers', connectionId: aliceConnectionId },
      });
    expect([said(await add(shared)), said(await add(ofBob))]).toEqual(Array(2).fill('404 CONNECTION_NOT_FOUND'));
    expect(said(await add(ofAlice))).toBe('201');
    const use = async (endUserId: string) => call(await tokenOf(endUserId, ofAlice), ofAlice, 'hers__list_models', {});
    expect(await accountOf(use('alice'))).toBe(SECRETS.alice);

    await bed.api.must(200).patch(`${SERVERS}/${ofAlice}`, { endUserId: 'bob' });
    expect(await accountOf(use('bob'))).toBeUndefined();
    expect(JSON.stringify((await use('bob')).body)).toMatch(/CONNECTION_REQUIRED/);
    await bed.api.must(200).patch(`${SERVERS}/${ofAlice}`, { endUserId: 'alice' });
  });

  test.each(['access-tokens', 'oauth-tokens'])("bob cannot get %s for alice's server", async (kind) => {
    const issue = (endUserId: string) => bed.api.post(`${SERVERS}/${ofAlice}/${kind}`, { endUserId });
    expect(said(await issue('bob'))).toBe('404 END_USER_NOT_FOUND');
  });
});

describe("bob's token", () => {
  test('opens only the server that it was issued for', async () => {
    const token = await tokenOf('bob', shared);
    for (const server of [ofAlice, ofBob, code]) expect((await call(token, server, 'openai__list_models', {})).status).toBe(401);
  });

  test("cannot use or read alice's accounts", async () => {
    const use = async (endUserId: string) => call(await tokenOf(endUserId, shared), shared, 'openai__list_models', {});
    expect(await accountOf(use('alice'))).toBe(SECRETS.alice);
    expect(await accountOf(use('bob'))).toBeUndefined();
    const { result } = (await use('bob')).body;
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('alice');
  });

  test("cannot read alice's state", async () => {
    const [alice, bob] = [await tokenOf('alice', shared), await tokenOf('bob', shared)];
    await call(alice, shared, 'kv-store__put', { key: 'k', value: 'hers' });
    expect(JSON.stringify((await call(bob, shared, 'kv-store__get', { key: 'k' })).body)).not.toContain('hers');
    await call(bob, shared, 'kv-store__delete', { key: 'k' });
    expect(JSON.stringify((await call(alice, shared, 'kv-store__get', { key: 'k' })).body)).toContain('hers');
  });

  test("cannot continue alice's code run or read its result", async () => {
    const approvalId = await aFinishedRun('alice');
    const go = async (endUserId: string) => (await call(await tokenOf(endUserId, code), code, 'svc_execute', { approvalId })).body;
    const his = JSON.stringify(await go('bob'));
    expect(his).toContain('APPROVAL_NOT_FOUND');
    expect(his).not.toContain('her output');
    expect((await go('alice')).result.structuredContent).toMatchObject({ status: 'executed', output: 'her output' });
    expect((await bed.api.must(200).post(`${SERVERS}/${code}/execute-code`, { approvalId })).structuredContent).toMatchObject({
      output: 'her output',
    });
  });

  test('a static token can continue runs of the end user that its server is scoped to', async () => {
    const fields = { name: 'x', ...place, authMode: 'bearer', mode: 'CODE', endUserId: 'alice' };
    const { server, bearerToken } = await bed.api.must(201).post(SERVERS, fields);
    const go = async (approvalId: string) => (await call(bearerToken, server.id, 'svc_execute', { approvalId })).body.result;
    expect((await go(await aFinishedRun('alice', server.id))).structuredContent).toMatchObject({ output: 'her output' });
    for (const endUserId of ['bob', null])
      expect(JSON.stringify(await go(await aFinishedRun(endUserId, server.id)))).toContain('APPROVAL_NOT_FOUND');
  });
});

describe("bob's link", () => {
  const entry = () => ({ entry: instanceId, method: METHOD, 'field.secretText': SECRETS.bob });

  test("shows no account of alice, and connects and disconnects only bob's accounts", async () => {
    const { text } = await read(bobsPortal);
    expect(text).toContain('Not connected');
    expect(text).not.toContain('Alice');

    expect((await submit(bobsPortal, entry())).status).toBe(303);
    expect(await accountOf(models('bob'))).toBe(SECRETS.bob);
    expect(await accountOf(models('alice'))).toBe(SECRETS.alice);
    await submit(bobsPortal, { entry: instanceId, change: 'disconnect' });
    expect(said(await models('bob'))).toBe('400 CONNECTION_REQUIRED');
  });

  test('cannot disconnect an account that it does not show', async () => {
    for (const field of ['connection', 'entry', 'account', 'id'])
      expect((await submit(bobsPortal, { change: 'disconnect', [field]: aliceConnectionId })).status).toBe(404);
  });

  test("creates an account of bob, even under the name of alice's account", async () => {
    const session = { integrationName: 'openai', connectionName: 'Box', externalId: 'hers', ...place, endUserId: 'bob' };
    const { connectUrl } = await bed.api.must(201).post('/api/v1/connect/token', session);
    expect((await submit(connectUrl, { method: METHOD, 'field.secretText': SECRETS.bob })).status).toBe(303);
    expect(await accountOf(models('bob', { connectionExternalId: 'hers' }))).toBe(SECRETS.bob);
    expect(await accountOf(models('alice', { connectionExternalId: 'hers' }))).toBe(SECRETS.alice);
  });

  test('cannot open another kind of page', async () => {
    const session = { integrationName: 'openai', connectionName: 'Box', externalId: 'more', ...place, endUserId: 'alice' };
    const { token } = await bed.api.must(201).post('/api/v1/connect/token', session);
    const portalToken = new URL(bobsPortal).searchParams.get('token');
    expect((await read(`${bed.apiUrl}/connect/portal?token=${token}`)).status).toBe(404);
    expect((await read(`${bed.apiUrl}/connect?token=${portalToken}`)).status).toBe(404);
  });
});
