import { z } from 'zod';
import { refreshDueConnections } from '../../../commands/connections/refresh-connection.ts';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { type ActionContext, ActionError, action, integration } from '../../../integrations/definition.ts';
import { writtenBy } from '../activity/recorded-acts.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { anOauthProvider, type OauthProvider } from './oauth-provider.ts';

let bed: ApiBed;
let provider: OauthProvider;
/** The requests that the third party received, such as `POST /tasks/1 zq-old`. */
let requests: string[];
/** The access tokens that the third party refuses. */
let refused: Set<string>;
let refuses: (request: string) => boolean;
beforeAll(async () => {
  [bed, provider] = await Promise.all([openApiBed(), anOauthProvider()]);
  bed.gateway.catalog = openOrgCatalog(bed.gateway.db, openCatalog([deskAt(provider.url)]));
  provider.answerApi = ({ method, url, headers }) => {
    const request = `${method} ${url} ${headers.authorization?.replace('Bearer ', '')}`;
    requests.push(request);
    return { status: refused.has(request.split(' ')[2]!) || refuses(request) ? 401 : 200, body: {} };
  };
}, 120_000);
afterAll(async () => {
  await bed?.close();
  await provider?.close();
});
beforeEach(async () => {
  [requests, refused, refuses] = [[], new Set(['zq-old']), () => false];
  await bed.gateway.db('oauth_apps').delete();
  await bed.gateway.db('connections').delete();
  await anApp();
});

function deskAt(url: string) {
  const requesting = (category: 'read' | 'write', ...methods: string[]) =>
    action({
      ...{ displayName: 'A', description: '', category, input: z.object({}), output: z.object({}) },
      run: async ({ outbound, auth }: ActionContext) => {
        for (const [index, method] of methods.entries()) {
          const headers = { authorization: `Bearer ${(auth as { accessToken: string }).accessToken}` };
          const { status } = await outbound.request({ url: `${url}/tasks/${index + 1}`, method, headers });
          if (status === 401) throw new ActionError('Desk refused the credentials.', { status, reason: 'unauthorized' });
        }
        return {};
      },
    });
  const oauth2 = { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token`, scopes: [] };
  return integration({
    ...{ name: 'desk', displayName: 'Desk', description: 'For tests', logoUrl: null, categories: [] },
    auth: [{ key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: '', oauth2 }],
    actions: {
      list: requesting('read', 'POST', 'POST'),
      write: requesting('write', 'POST'),
      find_and_write: requesting('write', 'GET', 'POST'),
      write_twice: requesting('write', 'POST', 'POST'),
    },
  });
}

const anApp = () => bed.api.must(201).post('/api/v1/oauth-apps', { integrationName: 'desk', ...provider.client });

async function anAccount(fields: object = {}) {
  const body = { integrationName: 'desk', externalId: 'desk', type: 'OAUTH2', accessToken: 'zq-old', refreshToken: 'zq-refresh' };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', { ...body, ...fields });
  return connection.id as string;
}
const call = (actionName = 'write') =>
  bed.api.post('/api/v1/actions/execute', {
    workspaceId: bed.workspaceId,
    integrationName: 'desk',
    actionName,
    connectionExternalId: 'desk',
  });
const shown = async (id: string) => (await bed.api.must(200).get(`/api/v1/connections?id=${id}`)).connection;
const grants = (accessToken: string, more: object = {}) =>
  provider.answerNext(200, JSON.stringify({ access_token: accessToken, refresh_token: `${accessToken}-refresh`, ...more }));
const revokes = () => provider.answerNext(400, JSON.stringify({ error: 'invalid_grant', error_description: 'Token has been revoked' }));

test('a refused token is refreshed once for concurrent calls, and the calls then succeed', async () => {
  const id = await anAccount();
  const before = provider.tokenRequests.length;
  grants('zq-new');
  const answers = await Promise.all(Array.from({ length: 8 }, () => call()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(provider.tokenRequests.slice(before).map((request) => request.get('refresh_token'))).toEqual(['zq-refresh']);
  expect(requests.filter((request) => request === 'POST /tasks/1 zq-new')).toHaveLength(8);
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', statusReason: null });
});

test.each([
  ['find_and_write', 'GET', 200],
  ['list', 'POST', 200],
  ['write_twice', 'POST', 400],
])('%s sends %s and then POST: if the POST is refused, the call answers %i', async (actionName, method, status) => {
  await anAccount();
  refused.clear();
  refuses = (request) => request === 'POST /tasks/2 zq-old';
  grants('zq-new');
  const answer = await call(actionName);
  expect(answer.status).toBe(status);
  const once = [`${method} /tasks/1 zq-old`, 'POST /tasks/2 zq-old'];
  expect(requests).toEqual(status === 200 ? [...once, `${method} /tasks/1 zq-new`, 'POST /tasks/2 zq-new'] : once);
  if (status === 400) expect(answer.body).toMatchObject({ code: 'ACTION_FAILED', error: expect.stringMatching(/in part.*not repeated/) });
  expect((await call(actionName)).status).toBe(200);
  expect(requests.at(-1)).toBe('POST /tasks/2 zq-new');
});

test('if the refreshed token is refused too, the call fails and the account stays active', async () => {
  const id = await anAccount();
  refused.add('zq-new');
  grants('zq-new');
  expect(await call()).toMatchObject({ status: 400, body: { code: 'ACTION_FAILED' } });
  expect(requests).toEqual(['POST /tasks/1 zq-old', 'POST /tasks/1 zq-new']);
  expect((await shown(id)).status).toBe('ACTIVE');
});

test('a revoked grant sets ERROR, and later calls do not reach the third party', async () => {
  const id = await anAccount({ expiresIn: 3600 });
  revokes();
  const rows = await writtenBy(bed, async () => {
    expect((await call()).body).toMatchObject({ code: 'CONNECTION_REQUIRED', error: expect.stringContaining('Token has been revoked') });
  });
  expect(rows.filter(({ type }) => type === 'connection.failed')).toMatchObject([
    { details: { connectionId: id, reason: expect.stringContaining('Token has been revoked') } },
  ]);
  expect(await shown(id)).toMatchObject({ status: 'ERROR', statusReason: expect.stringContaining('Token has been revoked') });
  expect((await call()).body).toMatchObject({ code: 'CONNECTION_REQUIRED', error: expect.stringContaining('Token has been revoked') });
  expect(requests).toEqual(['POST /tasks/1 zq-old']);
});

test('an outage of the authorization server fails the call; the next call refreshes the token', async () => {
  const id = await anAccount();
  provider.answerNext(503, 'away', 'text/plain');
  expect(await call()).toMatchObject({ status: 400, body: { code: 'ACTION_FAILED' } });
  expect((await shown(id)).status).toBe('ACTIVE');
  grants('zq-new');
  expect((await call()).status).toBe(200);
});

test('an account in ERROR without a reason is refreshed on use and becomes active', async () => {
  const id = await anAccount();
  await bed.gateway.db('connections').where({ id }).update({ status: 'ERROR' });
  grants('zq-new');
  const rows = await writtenBy(bed, async () => expect((await call()).status).toBe(200));
  expect(rows.filter(({ type }) => type === 'connection.recovered')).toMatchObject([{ details: { connectionId: id } }]);
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', statusReason: null });
});

test('without a refresh token, a refused access token sets ERROR until it is accepted again', async () => {
  const id = await anAccount({ refreshToken: undefined });
  const answer = await call();
  expect(answer).toMatchObject({ status: 400, body: { code: 'CONNECTION_REQUIRED', error: expect.stringContaining('Desk refused') } });
  expect(await shown(id)).toMatchObject({ status: 'ERROR', statusReason: 'The third party refused the credentials.' });
  refused.clear();
  expect((await call()).status).toBe(200);
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', statusReason: null });
});

describe('without an OAuth app', () => {
  const WITHOUT_APP = 'There is no OAuth app of desk, so its access cannot be refreshed.';
  const anAppless = async (expiresInSeconds: number) => {
    const id = await anAccount({ expiresIn: 3600 });
    const { db } = bed.gateway;
    await db('connections')
      .where({ id })
      .update({ expires_at: db.raw('now() + make_interval(secs => ?)', [expiresInSeconds]) });
    await db('oauth_apps').delete();
    return id;
  };

  test('a valid token is used; once the token is refused, the account must be reconnected', async () => {
    const id = await anAppless(5);
    refused.clear();
    expect((await call()).status).toBe(200);
    refused.add('zq-old');
    expect((await call()).body).toMatchObject({ code: 'CONNECTION_REQUIRED', error: expect.stringContaining(WITHOUT_APP) });
    expect(await shown(id)).toMatchObject({ status: 'ERROR', statusReason: WITHOUT_APP });
  });

  test('a call with an expired token sets ERROR', async () => {
    const id = await anAppless(-5);
    expect((await call()).body).toMatchObject({ code: 'CONNECTION_REQUIRED', error: expect.stringContaining(WITHOUT_APP) });
    expect(await shown(id)).toMatchObject({ status: 'ERROR', statusReason: WITHOUT_APP });
    expect(requests).toEqual([]);
  });

  test('a scheduled refresh of an expired token sets ERROR, and succeeds as soon as an app exists', async () => {
    const id = await anAppless(-5);
    const due = () => bed.gateway.db('connections').where({ id }).update({ refresh_tried_at: null });
    expect(await refreshDueConnections(bed.gateway)).toBe(1);
    await due();
    expect(await refreshDueConnections(bed.gateway)).toBe(0);
    expect(await shown(id)).toMatchObject({ status: 'ERROR', statusReason: WITHOUT_APP });
    await anApp();
    grants('zq-new');
    expect(await refreshDueConnections(bed.gateway)).toBe(1);
    expect(await shown(id)).toMatchObject({ status: 'ACTIVE', statusReason: null });
    expect((await call()).status).toBe(200);
  });
});
