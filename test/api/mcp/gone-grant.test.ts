import { anOauthProvider, type OauthProvider } from '../connect/oauth-provider.ts';
import { tasksAt } from '../integrations/own/own-bed.ts';
import { addIntegration, anOrg, aServer, type Org } from './mcp-bed.ts';

const PORTAL = /\/connect\/portal\?token=eut_/;
const GONE = /Token has been revoked/;

let provider: OauthProvider;
let org: Org;
let connectionId: string | undefined;
beforeAll(async () => {
  [provider, org] = await Promise.all([anOauthProvider(), anOrg()]);
  provider.answerApi = () => ({ status: 401, body: {} });
  const oauth2 = { authorizationUrl: `${provider.url}/authorize`, tokenUrl: `${provider.url}/token`, scopes: ['read'] };
  const auth = [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', authenticate: 'bearer', oauth2 }];
  await made('/integrations/import', { kind: 'declarative', name: 'tasks', document: tasksAt(provider.url, { auth }) });
  await made('/oauth-apps', { integrationName: 'tasks', ...provider.client });
  await made('/end-users', { workspaceId: org.workspaceId, externalId: 'ada' });
  await addIntegration(org, 'tasks', { connectionStrategy: 'per_user' });
});
afterAll(() => provider?.close());

async function connect(access: object): Promise<void> {
  if (connectionId) await org.rest('DELETE', `/connections/${connectionId}`);
  const account = { integrationName: 'tasks', externalId: 'tasks', workspaceId: org.workspaceId, endUserId: 'ada', type: 'OAUTH2' };
  connectionId = (await made('/connections', { ...account, accessToken: 'zq-old', ...access })).connection.id;
}

async function connectGone(): Promise<void> {
  await connect({ refreshToken: 'zq-gone', expiresIn: 1 });
  provider.answerNext(400, JSON.stringify({ error: 'invalid_grant', error_description: 'Token has been revoked' }));
}

async function made(path: string, body: object) {
  const answer = await org.rest('POST', path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const call = { integrationName: 'tasks', actionName: 'get_task', input: { id: '1' }, endUserId: 'ada' };
const execute = async (fields: object = {}) =>
  (await org.rest('POST', '/actions/execute', { workspaceId: org.workspaceId, ...call, ...fields })).body;

test('the connect link for a revoked grant is in the REST answer, but not stored', async () => {
  await connectGone();
  const answer = await execute({ idempotencyKey: 'gone' });
  expect(answer).toMatchObject({ code: 'CONNECTION_REQUIRED', error: expect.stringMatching(GONE) });
  expect(answer.details.connectUrl).toMatch(PORTAL);
  const stored = await execute({ idempotencyKey: 'gone' });
  expect([stored.code, stored.details.connectUrl]).toEqual(['CONNECTION_REQUIRED', undefined]);
  const next = await execute();
  expect([next.error, next.details.connectUrl]).toEqual([expect.stringMatching(GONE), expect.stringMatching(PORTAL)]);
});

test('over MCP, the text and details of the answer contain the connect link', async () => {
  await connectGone();
  const server = await aServer(org, 'TOOLS', { endUserId: 'ada' });
  const { structuredContent, content, isError } = await server.call('tasks__get_task', { id: '1' });
  const { code, message, details } = structuredContent.error;
  expect([isError, code, message]).toEqual([true, 'CONNECTION_REQUIRED', expect.stringMatching(GONE)]);
  expect(details.connectUrl).toMatch(PORTAL);
  expect(content[0].text).toContain(details.connectUrl);
});

test.each([
  ['a revoked grant', connectGone, GONE],
  ['refused access without a refresh token', () => connect({}), /refused the credentials/],
])('a code run answers the connect link for %s; the code cannot read the link', async (_, prepare, said) => {
  await prepare();
  const server = await aServer(org, 'CODE', { endUserId: 'ada' });
  const code =
    'try { await svc.tasks.get_task({ id: "1" }) } catch (error) { console.log(JSON.stringify([error.message, error.details ?? null])); throw error }';
  const { structuredContent, isError } = await server.call('svc_execute', { code });
  const { error, logs } = structuredContent;
  expect([isError, error.code, error.message]).toEqual([true, 'CONNECTION_REQUIRED', expect.stringMatching(said)]);
  expect(error.details).toMatchObject({ connectUrl: expect.stringMatching(PORTAL), mayRepeat: true });
  expect(logs[0].message).toMatch(said);
  expect(JSON.stringify(logs)).not.toContain('eut_');
});
