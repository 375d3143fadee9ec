import { createOrg } from '../../../commands/access/create-org.ts';
import type { ApiBed } from '../api-bed.ts';
import { aWorkspace, checkedCaller, withWorkspaceKey } from '../checked-caller.ts';
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

test('without a configured instance, the most specific connection is used', async () => {
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

test('the strategy of the named instance decides which connection is used', async () => {
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

describe('an external id names one account', () => {
  const slugs = { none: 0, one: 1, two: 2, three: 3 };
  const aliases = ['first', 'second', 'third'];

  const configured = async (slug: string, count: number) => {
    const workspaceId = await aWorkspace({ ...bed }, slug);
    const ids: Record<string, string> = {};
    for (const alias of aliases) ids[alias] = await create(alias, { workspaceId, scope: 'WORKSPACE' });
    const instances: { id: string }[] = [];
    for (const alias of aliases.slice(0, count)) instances.push(await configure(workspaceId, { alias, connectionId: ids[alias] }));
    return { workspaceId, ids, instances };
  };

  test.each(Object.entries(slugs))('with %s configured instances', async (slug, count) => {
    const { workspaceId, ids } = await configured(slug, count);
    for (const externalId of aliases) expect(await resolved({ workspaceId, externalId })).toBe(ids[externalId]);
    expect(await resolve({ workspaceId, externalId: 'no such' })).toMatchObject(NONE);
    const unnamed = await resolve({ workspaceId });
    expect(unnamed).toMatchObject([NONE, { status: 200 }, { status: 409, body: { code: 'AMBIGUOUS_INTEGRATION' } }][Math.min(count, 2)]!);
  });

  test('if the request also names an instance, the instance must allow the account', async () => {
    const { workspaceId, ids, instances } = await configured('named', 2);
    expect(await resolved({ workspaceId, externalId: 'first', integrationAlias: 'first' })).toBe(ids.first);
    expect(await resolved({ workspaceId, externalId: 'first', workspaceIntegrationId: instances[0]!.id })).toBe(ids.first);
    expect(await resolve({ workspaceId, externalId: 'first', integrationAlias: 'second' })).toMatchObject(NONE);
    expect(await resolve({ workspaceId, externalId: 'first', workspaceIntegrationId: instances[1]!.id })).toMatchObject(NONE);
    expect(await resolve({ workspaceId, externalId: 'first', integrationAlias: 'third' })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    const contradiction = { workspaceId, externalId: 'first', integrationAlias: 'first', workspaceIntegrationId: instances[1]!.id };
    expect(await resolve(contradiction)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  test("the end user's account precedes the workspace's; accounts of others are not used", async () => {
    const { workspaceId } = await configured('context', 2);
    const [own, shared] = [
      await create('same', { workspaceId, endUserId: 'ada' }),
      await create('same', { workspaceId, scope: 'WORKSPACE' }),
    ];
    expect(await resolved({ workspaceId, externalId: 'same', endUserId: 'ada' })).toBe(own);
    for (const endUserId of ['bob', undefined]) expect(await resolved({ workspaceId, externalId: 'same', endUserId })).toBe(shared);
    await create('adas', { workspaceId, endUserId: 'ada' });
    for (const endUserId of ['bob', undefined]) expect(await resolve({ workspaceId, externalId: 'adas', endUserId })).toMatchObject(NONE);

    const elsewhere = await configured('elsewhere', 2);
    await create('elsewhere', { workspaceId: elsewhere.workspaceId, scope: 'WORKSPACE' });
    expect(await resolve({ workspaceId, externalId: 'elsewhere' })).toMatchObject(NONE);
    await create('a ledger', { integrationName: 'ledger', authMethodKey: 'live', workspaceId, scope: 'WORKSPACE' });
    expect(await resolve({ workspaceId, externalId: 'a ledger' })).toMatchObject(NONE);
    const stranger = await createOrg(bed.gateway, 'Stranger');
    const there = { workspaceId: stranger.workspaceId, scope: 'WORKSPACE', integrationName: 'chat', type: 'SECRET_TEXT', secretText: 's' };
    await checkedCaller(bed.apiUrl, stranger.plainKey)
      .must(201)
      .post(PATH, { externalId: 'theirs', ...there });
    expect(await resolve({ workspaceId, externalId: 'theirs' })).toMatchObject(NONE);
  });

  test('an account that was connected for one instance is found without naming the instance', async () => {
    const workspaceId = await aWorkspace({ ...bed }, 'linked');
    const one = await configure(workspaceId, { alias: 'one', connectionStrategy: 'per_user' });
    await configure(workspaceId, { alias: 'two', connectionStrategy: 'per_user' });
    const linked = await create('linked', { workspaceId, endUserId: 'ada', workspaceIntegrationId: one.id });
    expect(await resolved({ workspaceId, endUserId: 'ada', externalId: 'linked' })).toBe(linked);
    expect(await resolve({ workspaceId, endUserId: 'ada', externalId: 'linked', integrationAlias: 'two' })).toMatchObject(NONE);
  });
});

test('without a workspace, only organization-wide connections are used', async () => {
  expect(await resolve({ integrationName: 'calendar' })).toMatchObject(NONE);
  const ours = { integrationName: 'ledger', authMethodKey: 'live' };
  const [one, two] = [await create('one', ours), await create('two', ours)];
  expect(await resolved({ integrationName: 'ledger', externalId: 'two' })).toBe(two);
  expect(await resolve({ integrationName: 'ledger' })).toMatchObject(NONE);
  await bed.api.must(200).delete(`${PATH}/${two}`);
  expect(await resolved({ integrationName: 'ledger' })).toBe(one);
});

test('an integration without authentication resolves to no account', async () => {
  expect(await resolve({ integrationName: 'datetime', workspaceId: bed.workspaceId })).toMatchObject(NONE);
  expect(await resolve({ integrationName: 'no-such' })).toMatchObject({ status: 404, body: { code: 'INTEGRATION_NOT_FOUND' } });
});

test('endUserId and integrationAlias require workspaceId, and the key must reach the workspace', async () => {
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
