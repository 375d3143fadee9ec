import { createOrg } from '../../../commands/access/create-org.ts';
import { checkedCaller, withKey, withWorkspaceKey } from '../checked-caller.ts';
import { anInstance, anOauthApp, aPortal, aSession, type ConnectBed, openConnectBed, outcomeOf } from './connect-bed.ts';

const TOKEN = '/api/v1/connect/token';
const POLL = '/api/v1/connect/session/poll';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

const body = (fields: object = {}) => ({
  integrationName: 'mail',
  connectionName: 'Mail of Ada',
  externalId: 'mail-ada',
  workspaceId: bed.workspaceId,
  ...fields,
});
const asTenant = () => ({ orgId: bed.orgId, workspaceId: bed.workspaceId, plainKey: bed.plainKey, apiUrl: bed.apiUrl, api: bed.api });
const issuesOf = (answer: { body: { details: { issues: { path: string }[] } } }) => answer.body.details.issues.map(({ path }) => path);

test('a new connect token opens a session of one hour, which the caller can read', async () => {
  const answer = await bed.api.must(201).post(TOKEN, body());
  expect(answer).toEqual({
    token: expect.stringMatching(/^cst_[0-9A-Za-z]{49}$/),
    connectUrl: `${bed.apiUrl}/connect?token=${answer.token}`,
    expiresAt: expect.any(String),
    sessionId: expect.any(String),
  });
  const outcome = {
    status: 'PENDING',
    connectionId: null,
    integrationName: 'mail',
    workspaceIntegrationId: null,
    authMethodKey: null,
    externalId: 'mail-ada',
    error: null,
  };
  expect(await outcomeOf(bed, answer.token)).toEqual(outcome);
  const session = await bed.api.must(200).get(`/api/v1/connect/session/${answer.sessionId}`);
  expect(session).toEqual({ ...outcome, id: answer.sessionId, createdAt: expect.any(String), expiresAt: answer.expiresAt });
  expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(3_600_000);
});

test('the database stores only a hash of the token', async () => {
  const { token, sessionId } = await aSession(bed);
  const row = await bed.gateway.db('connect_sessions').where({ id: sessionId }).first();
  expect(JSON.stringify(row)).not.toContain(token);
  expect(row.token_hash).toEqual(bed.gateway.tokens.hash(token));
});

test('a session can name an instance, a method and an end user', async () => {
  const workspaceIntegrationId = await anInstance(bed, 'cloud', { alias: 'cloud-for-token' });
  const fields = { integrationName: 'cloud', workspaceIntegrationId, authMethodKey: 'token', endUserId: 'somebody', scope: 'USER' };
  const { token } = await bed.api.must(201).post(TOKEN, body(fields));
  expect(await outcomeOf(bed, token)).toMatchObject({ integrationName: 'cloud', workspaceIntegrationId, authMethodKey: 'token' });
});

test.each([
  ['an empty body', () => ({ integrationName: undefined, connectionName: undefined, externalId: undefined, workspaceId: undefined }), 4],
  ['a method that the integration lacks', () => ({ authMethodKey: 'magic' }), ['authMethodKey']],
  ['an integration that needs no account', () => ({ integrationName: 'clock' }), ['integrationName']],
  ['USER without an end user', () => ({ scope: 'USER' }), ['endUserId']],
  ['an end user in the scope WORKSPACE', () => ({ scope: 'WORKSPACE', endUserId: 'ada' }), ['endUserId']],
  ['an unknown scope', () => ({ scope: 'GALAXY' }), ['scope']],
  ['a relative redirect', () => ({ successRedirectUri: '/done' }), ['successRedirectUri']],
  ['plain http to another host', () => ({ errorRedirectUri: 'http://example.com/done' }), ['errorRedirectUri']],
  ['another scheme', () => ({ successRedirectUri: 'javascript:alert(1)' }), ['successRedirectUri']],
  ['a fragment', () => ({ successRedirectUri: 'https://example.com/#done' }), ['successRedirectUri']],
  ['credentials in the redirect', () => ({ successRedirectUri: 'https://ada:pw@example.com/' }), ['successRedirectUri']],
  ['a redirect that is too long', () => ({ successRedirectUri: `https://example.com/${'x'.repeat(2000)}` }), ['successRedirectUri']],
  ['a name that is too long', () => ({ connectionName: 'x'.repeat(201) }), ['connectionName']],
  ['an unknown field', () => ({ colour: 'red' }), ['colour']],
])('%s is refused', async (_, fields, paths) => {
  const answer = await bed.api.post(TOKEN, body(fields()));
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  if (typeof paths === 'number') expect(issuesOf(answer)).toHaveLength(paths);
  else expect(issuesOf(answer)).toEqual(paths);
});

test.each([
  ['a method with consent', { integrationName: 'cloud', authMethodKey: 'oauth' }, 'authMethodKey'],
  ['an integration whose only method needs consent', { integrationName: 'vault' }, 'integrationName'],
])('%s starts no session without an OAuth app', async (_, fields, path) => {
  const answer = await bed.api.post(TOKEN, body(fields));
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(issuesOf(answer)).toEqual([path]);
  expect(answer.body.error).toContain('OAuth app');
  await bed.api.must(201).post(TOKEN, body({ integrationName: 'cloud' }));
  await anOauthApp(bed, fields.integrationName);
  await bed.api.must(201).post(TOKEN, body(fields));
});

test.each(['https://example.com/done?from=gateway', 'http://localhost:3000/done', 'http://127.0.0.1:3000/', 'http://[::1]:3000/'])(
  'the redirect address %s is accepted',
  async (successRedirectUri) => {
    await bed.api.must(201).post(TOKEN, body({ successRedirectUri, errorRedirectUri: successRedirectUri }));
  },
);

test('an unknown integration answers INTEGRATION_NOT_FOUND; an unknown workspace or instance answers NOT_FOUND', async () => {
  const elsewhere = (await bed.api.must(201).post('/api/v1/workspaces', { name: 'Elsewhere', slug: 'elsewhere' })).workspace.id;
  const { integration } = await bed.api
    .must(201)
    .post(`/api/v1/workspaces/${elsewhere}/integrations`, { integrationName: 'mail', connectionStrategy: 'per_user' });
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect(await bed.api.post(TOKEN, body({ integrationName: 'nowhere' }))).toMatchObject({
    status: 404,
    body: { code: 'INTEGRATION_NOT_FOUND' },
  });
  for (const fields of [{ workspaceId: unknown }, { workspaceIntegrationId: unknown }, { workspaceIntegrationId: integration.id }])
    expect(await bed.api.post(TOKEN, body(fields))).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  const ofMail = await anInstance(bed, 'mail', { alias: 'mail-for-token' });
  expect(issuesOf(await bed.api.post(TOKEN, body({ integrationName: 'cloud', workspaceIntegrationId: ofMail })))).toEqual([
    'workspaceIntegrationId',
  ]);
});

test('a workspace key can create sessions for its workspaces, but not for the whole organization', async () => {
  const own = await withWorkspaceKey(asTenant());
  const none = await withKey(asTenant(), { scope: 'workspace', workspaceIds: [] });
  const { token, sessionId } = await own.must(201).post(TOKEN, body());
  await own.must(200).get(`/api/v1/connect/session/${sessionId}`);
  expect((await bed.gateway.db('connect_sessions').where({ id: sessionId }).first()).scope).toBe('WORKSPACE');
  const refused = [
    await own.post(TOKEN, body({ scope: 'ORGANIZATION' })),
    await none.post(TOKEN, body({ scope: 'WORKSPACE' })),
    await none.get(`/api/v1/connect/session/${sessionId}`),
    await none.post(POLL, { token }),
  ];
  for (const answer of refused) expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_DENIED']);
});

test('ids of another organization get the same answer as unknown ids', async () => {
  const { token, sessionId } = await aSession(bed);
  const stranger = checkedCaller(bed.apiUrl, (await createOrg(bed.gateway, 'Stranger')).plainKey);
  const answers = [
    await stranger.post(TOKEN, body()),
    await stranger.get(`/api/v1/connect/session/${sessionId}`),
    await stranger.get('/api/v1/connect/session/nonsense'),
    await stranger.post(POLL, { token }),
    await stranger.post(POLL, { token: bed.gateway.tokens.issue('cst_') }),
    await bed.api.post(POLL, { token: (await aPortal(bed, 'poller')).token }),
    await bed.api.post(POLL, { token: 'cst_short' }),
  ];
  for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
});

test('an expired session has the status FAILED and the reason', async () => {
  const { token, sessionId } = await aSession(bed);
  await bed.gateway
    .db('connect_sessions')
    .where({ id: sessionId })
    .update({ expires_at: bed.gateway.db.raw("now() - interval '1 second'") });
  const failed = { status: 'FAILED', error: 'The link expired before an account was connected.', connectionId: null };
  expect(await outcomeOf(bed, token)).toMatchObject(failed);
  expect(await bed.api.must(200).get(`/api/v1/connect/session/${sessionId}`)).toMatchObject(failed);
});

test('a new session deletes sessions that ended more than a week ago', async () => {
  const [old, recent] = [await aSession(bed), await aSession(bed)];
  const endedBefore = (days: number, id: string) =>
    bed.gateway
      .db('connect_sessions')
      .where({ id })
      .update({ expires_at: bed.gateway.db.raw(`now() - interval '${days} days'`) });
  await Promise.all([endedBefore(8, old.sessionId), endedBefore(6, recent.sessionId)]);
  await aSession(bed);
  expect((await bed.api.get(`/api/v1/connect/session/${old.sessionId}`)).status).toBe(404);
  expect((await bed.api.get(`/api/v1/connect/session/${recent.sessionId}`)).status).toBe(200);
});
