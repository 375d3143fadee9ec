import type { ApiBed } from '../api-bed.ts';
import { aWorkspace, withWorkspaceKey } from '../checked-caller.ts';
import { openAccountsBed } from './accounts-bed.ts';

const PATH = '/api/v1/connections';
const NONE = { status: 404, body: { code: 'CONNECTION_NOT_FOUND' } };

let bed: ApiBed;
beforeAll(async () => {
  bed = await openAccountsBed();
});
afterAll(() => bed.close());

const create = async (externalId: string, more: object): Promise<string> => {
  const body = { integrationName: 'chat', externalId, type: 'SECRET_TEXT', secretText: 's3cret', ...more };
  return (await bed.api.must(201).post(PATH, body)).connection.id;
};
const resolve = (body: object, api = bed.api) => api.post(`${PATH}/resolve`, { integrationName: 'chat', ...body });
const resolved = async (body: object) => {
  const { status, body: answer } = await resolve(body);
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return answer.connection.id;
};
const configure = async (workspaceId: string, body: object) =>
  (await bed.api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'chat', ...body })).integration;

test("where nothing is configured: the one named, else the end user's, else the only shared one", async () => {
  const workspaceId = await aWorkspace({ ...bed }, 'plain');
  expect(await resolve({ workspaceId })).toMatchObject(NONE);
  const shared = await create('shared', { workspaceId, scope: 'WORKSPACE' });
  const own = await create('own', { workspaceId, endUserId: 'ada' });
  const answer = await resolve({ workspaceId });
  expect(answer).toMatchObject({
    status: 200,
    body: { connection: { id: shared, externalId: 'shared', scope: 'WORKSPACE', workspaceId } },
  });
  expect(await resolved({ workspaceId, endUserId: 'ada' })).toBe(own);
  expect(await resolved({ workspaceId, endUserId: 'ada', externalId: 'shared' })).toBe(shared);
  expect(await resolved({ workspaceId, endUserId: 'bob' })).toBe(shared);
  expect(await resolve({ workspaceId, endUserId: 'bob', externalId: 'own' })).toMatchObject(NONE);
  expect(await resolve({ workspaceId, externalId: 'no such' })).toMatchObject(NONE);
  expect(await bed.gateway.db('end_users').where({ external_id: 'bob' })).toEqual([]);
});

test('the strategy of the configured instance decides, named by id or alias', async () => {
  const workspaceId = await aWorkspace({ ...bed }, 'configured');
  const shared = await create('shared', { workspaceId, scope: 'WORKSPACE' });
  const own = await create('own', { workspaceId, endUserId: 'ada' });
  const fixed = await configure(workspaceId, { alias: 'fixed', connectionId: shared });
  await configure(workspaceId, { alias: 'each', connectionStrategy: 'per_user' });
  await configure(workspaceId, { alias: 'either', connectionStrategy: 'per_user_with_fallback', connectionId: shared });
  const of = (integrationAlias: string, endUserId?: string) => ({ workspaceId, integrationAlias, endUserId });
  expect(await resolved(of('fixed', 'ada'))).toBe(shared);
  expect(await resolved({ workspaceId, workspaceIntegrationId: fixed.id })).toBe(shared);
  expect(await resolved(of('each', 'ada'))).toBe(own);
  expect(await resolve(of('each', 'bob'))).toMatchObject(NONE);
  expect(await resolve(of('each'))).toMatchObject(NONE);
  expect(await resolved(of('either', 'ada'))).toBe(own);
  expect(await resolved(of('either', 'bob'))).toBe(shared);
  expect(await resolve({ workspaceId })).toMatchObject({ status: 409, body: { code: 'AMBIGUOUS_INTEGRATION' } });
  expect(await resolve(of('unknown'))).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('without a workspace: the organization-wide connection named, or the only one', async () => {
  expect(await resolve({ integrationName: 'calendar' })).toMatchObject(NONE);
  const ours = { integrationName: 'ledger', authMethodKey: 'live' };
  const [one, two] = [await create('one', ours), await create('two', ours)];
  expect(await resolved({ integrationName: 'ledger', externalId: 'two' })).toBe(two);
  expect(await resolve({ integrationName: 'ledger' })).toMatchObject(NONE);
  await bed.api.must(200).delete(`${PATH}/${two}`);
  expect(await resolved({ integrationName: 'ledger' })).toBe(one);
});

test('an integration that needs no account has none; an unknown one has a code of its own', async () => {
  expect(await resolve({ integrationName: 'datetime', workspaceId: bed.workspaceId })).toMatchObject(NONE);
  expect(await resolve({ integrationName: 'no-such' })).toMatchObject({ status: 404, body: { code: 'INTEGRATION_NOT_FOUND' } });
});

test('what is of a workspace needs the workspace, and a key that may enter it', async () => {
  for (const field of ['endUserId', 'integrationAlias'])
    expect(await resolve({ [field]: 'x' })).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  const [there, locked] = [await aWorkspace({ ...bed }, 'there'), await withWorkspaceKey(bed, [])];
  const denied = { status: 403, body: { code: 'SCOPE_DENIED' } };
  expect(await resolve({ workspaceId: there }, await withWorkspaceKey(bed))).toMatchObject(denied);
  expect(await resolve({}, locked)).toMatchObject(denied);
  expect(await resolve({ workspaceId: '00000000-0000-4000-8000-000000000000' })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
});
