import { EXECUTE, type MailBed, openMailBed } from './mail-bed.ts';

let bed: MailBed;
let workspaceId: string;
beforeAll(async () => {
  bed = await openMailBed();
});
afterAll(() => bed.close());
// Each test deletes the organization-wide connections that it made.
beforeEach(async () => {
  workspaceId = await bed.enter();
});

const connect = (account: string, fields?: object) => bed.connect(account, fields);
const configure = (fields: object) => bed.configure(fields);
const send = (fields?: object) => bed.send(fields);
const accountOf = async (fields: object = {}) => (await bed.api.must(200).post(EXECUTE, send(fields))).output.account;
const refused = async (status: number, code: string, fields: object = {}) => {
  const answer = await bed.api.post(EXECUTE, send(fields));
  expect(answer).toMatchObject({ status, body: { code } });
  return answer.body;
};

describe('strategies (specification 4.7)', () => {
  test('fixed: every call uses the configured connection, and cannot name another', async () => {
    const fixed = await connect('fixed');
    await connect('other');
    await connect('mine', { endUserId: 'ada' });
    await configure({ connectionStrategy: 'fixed', connectionId: fixed });
    expect(await accountOf()).toBe('fixed');
    expect(await accountOf({ endUserId: 'ada' })).toBe('fixed');
    expect(await accountOf({ connectionExternalId: 'fixed' })).toBe('fixed');
    await refused(404, 'CONNECTION_NOT_FOUND', { connectionExternalId: 'other' });
    await refused(404, 'CONNECTION_NOT_FOUND', { connectionExternalId: 'mine', endUserId: 'ada' });
  });

  test("per_user: a call uses the end user's own connection, or gets CONNECTION_REQUIRED", async () => {
    await connect('shared');
    await connect('adas', { endUserId: 'ada' });
    await bed.api.must(201).post('/api/v1/end-users', { workspaceId, externalId: 'bob' });
    const instance = await configure({ connectionStrategy: 'per_user' });
    expect(await accountOf({ endUserId: 'ada' })).toBe('adas');
    await refused(404, 'CONNECTION_NOT_FOUND', { endUserId: 'ada', connectionExternalId: 'shared' });
    await refused(404, 'CONNECTION_NOT_FOUND', { endUserId: 'bob', connectionExternalId: 'adas' });

    const bob = await refused(400, 'CONNECTION_REQUIRED', { endUserId: 'bob' });
    expect(bob.details).toMatchObject({ integrationName: 'mail', workspaceIntegrationId: instance, endUserId: 'bob' });
    expect(bob.details.connectUrl).toMatch(/\/connect\/portal\?token=eut_/);
    expect((await refused(400, 'CONNECTION_REQUIRED')).details).not.toHaveProperty('connectUrl');
    const unknown = await refused(400, 'CONNECTION_REQUIRED', { endUserId: 'nobody-knows' });
    expect(unknown.details).not.toHaveProperty('connectUrl');
    expect(unknown.error).toMatch(/no end user with that endUserId .*no connect link/);
  });

  test("per_user_with_fallback: a call uses the end user's own connection, or else the configured one", async () => {
    const fallback = await connect('fallback');
    await connect('adas', { endUserId: 'ada' });
    await configure({ connectionStrategy: 'per_user_with_fallback', connectionId: fallback });
    expect(await accountOf({ endUserId: 'ada' })).toBe('adas');
    expect(await accountOf({ endUserId: 'bob' })).toBe('fallback');
    expect(await accountOf()).toBe('fallback');
    expect(await accountOf({ endUserId: 'ada', connectionExternalId: 'fallback' })).toBe('fallback');
  });

  test("if several connections share an external id, the strategy's first choice is used", async () => {
    const shared = await connect('shared', { externalId: 'same', scope: 'WORKSPACE' });
    await connect('adas', { externalId: 'same', endUserId: 'ada' });
    await configure({ alias: 'fixed', connectionId: shared });
    await configure({ alias: 'each', connectionStrategy: 'per_user' });
    await configure({ alias: 'either', connectionStrategy: 'per_user_with_fallback', connectionId: shared });
    const named = (integrationAlias: string, endUserId?: string) => ({ integrationAlias, endUserId, connectionExternalId: 'same' });
    expect(await accountOf(named('fixed', 'ada'))).toBe('shared');
    expect(await accountOf(named('either', 'ada'))).toBe('adas');
    expect(await accountOf(named('either', 'bob'))).toBe('shared');
    expect(await accountOf(named('each', 'ada'))).toBe('adas');
    await refused(404, 'CONNECTION_NOT_FOUND', named('each', 'bob'));
  });

  test('an account connected for one workspace integration serves no other workspace integration', async () => {
    const first = await configure({ connectionStrategy: 'per_user', alias: 'first' });
    await configure({ connectionStrategy: 'per_user', alias: 'second' });
    await connect('for-first', { endUserId: 'ada', workspaceIntegrationId: first });
    expect(await accountOf({ endUserId: 'ada', integrationAlias: 'first' })).toBe('for-first');
    await refused(400, 'CONNECTION_REQUIRED', { endUserId: 'ada', integrationAlias: 'second' });
    const named = { endUserId: 'ada', connectionExternalId: 'for-first' };
    expect(await accountOf({ ...named, integrationAlias: 'first' })).toBe('for-first');
    await refused(404, 'CONNECTION_NOT_FOUND', { ...named, integrationAlias: 'second' });
    await refused(409, 'AMBIGUOUS_INTEGRATION', { endUserId: 'ada' });
    // The account does not identify a workspace integration. Each workspace integration has its own
    // policies, actions and partials.
    await refused(409, 'AMBIGUOUS_INTEGRATION', named);
  });
});

test('after a workspace integration is removed, its accounts serve all instances of the integration', async () => {
  const removed = await configure({ connectionStrategy: 'per_user', alias: 'removed' });
  const account = await connect('adas', { endUserId: 'ada', workspaceIntegrationId: removed });
  await configure({ connectionStrategy: 'per_user', alias: 'left' });
  await refused(400, 'CONNECTION_REQUIRED', { endUserId: 'ada', integrationAlias: 'left' });
  await bed.api.must(200).delete(`/api/v1/workspaces/${workspaceId}/integrations/${removed}`);
  expect(await accountOf({ endUserId: 'ada', integrationAlias: 'left' })).toBe('adas');
  expect((await bed.api.must(200).get(`/api/v1/connections?id=${account}`)).connection.status).toBe('ACTIVE');
});

test('an organization-wide account is not limited to the instance it was connected for', async () => {
  const named = await configure({ connectionStrategy: 'per_user', alias: 'named' });
  const id = await connect('for-all', { scope: 'ORGANIZATION', workspaceIntegrationId: named });
  expect(await bed.gateway.db('connections').where({ id }).first()).toMatchObject({ workspace_id: null, workspace_integration_id: null });
  await bed.api.must(200).delete(`/api/v1/connections/${id}`);
});

describe('an integration that the workspace has not configured (contract decisions 2, Actions)', () => {
  test("a call runs with the named connection, else the end user's, else the only active one", async () => {
    await refused(400, 'CONNECTION_REQUIRED');
    await connect('first');
    expect(await accountOf()).toBe('first');
    await connect('adas', { endUserId: 'ada' });
    expect(await accountOf({ endUserId: 'ada' })).toBe('adas');
    expect(await accountOf({ endUserId: 'bob' })).toBe('first');
    await connect('second');
    expect((await refused(400, 'CONNECTION_REQUIRED')).error).toMatch(/external id/);
    expect(await accountOf({ connectionExternalId: 'second' })).toBe('second');
    expect(await accountOf({ endUserId: 'ada', connectionExternalId: 'adas' })).toBe('adas');
  });

  test('an organization-wide connection serves every workspace; other connections serve only their own', async () => {
    const there = workspaceId;
    await connect('elsewhere');
    workspaceId = await bed.enter();
    await refused(400, 'CONNECTION_REQUIRED');
    await refused(404, 'CONNECTION_NOT_FOUND', { connectionExternalId: 'elsewhere' });
    const shared = await connect('everywhere', { workspaceId: undefined });
    for (const here of [workspaceId, there])
      expect(await accountOf({ workspaceId: here, connectionExternalId: 'everywhere' })).toBe('everywhere');
    expect(await accountOf()).toBe('everywhere');
    await bed.api.must(200).delete(`/api/v1/connections/${shared}`);
    await refused(400, 'CONNECTION_REQUIRED');
  });

  test('if connections share an external id, the one with the narrowest scope is used', async () => {
    const shared = await connect('organization', { externalId: 'same', workspaceId: undefined });
    expect(await accountOf({ connectionExternalId: 'same', endUserId: 'ada' })).toBe('organization');
    await connect('workspace', { externalId: 'same', scope: 'WORKSPACE' });
    expect(await accountOf({ connectionExternalId: 'same', endUserId: 'ada' })).toBe('workspace');
    await connect('adas', { externalId: 'same', endUserId: 'ada' });
    expect(await accountOf({ connectionExternalId: 'same', endUserId: 'ada' })).toBe('adas');
    expect(await accountOf({ connectionExternalId: 'same', endUserId: 'bob' })).toBe('workspace');
    await bed.api.must(200).delete(`/api/v1/connections/${shared}`);
  });
});

test('after a connection is deleted, calls of the instance that used it answer CONNECTION_REQUIRED', async () => {
  const fixed = await connect('fixed');
  const instance = await configure({ connectionId: fixed });
  await bed.api.must(200).delete(`/api/v1/connections/${fixed}`);
  const { integrations } = await bed.api.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`);
  expect(integrations).toMatchObject([{ id: instance, connectionId: null }]);
  expect((await refused(400, 'CONNECTION_REQUIRED')).details).not.toHaveProperty('connectUrl');
});

test("refused credentials set a connection's status to ERROR; a successful call sets it to ACTIVE", async () => {
  const id = await connect('flaky');
  const status = async () => (await bed.api.must(200).get(`/api/v1/connections?id=${id}`)).connection.status;
  await refused(400, 'ACTION_FAILED', { connectionExternalId: 'flaky', input: { to: 'nobody who is welcome' } });
  expect(await status()).toBe('ERROR');
  await refused(400, 'CONNECTION_REQUIRED');
  expect(await accountOf({ connectionExternalId: 'flaky' })).toBe('flaky');
  expect(await status()).toBe('ACTIVE');
});

test('deleting a connection cancels its pending approvals', async () => {
  const first = await connect('first');
  await configure({ connectionId: first });
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask', workspaceId });
  const { approval } = await bed.api.must(202).post(EXECUTE, send());
  await bed.api.must(200).delete(`/api/v1/connections/${first}`);
  const { approval: after } = await bed.api.must(200).get(`/api/v1/approvals/${approval.id}`);
  expect(after).toMatchObject({ status: 'canceled', decidedByType: 'system' });
  await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
});
