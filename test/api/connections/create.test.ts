import { openCredentials } from '../../../commands/connections/connection-credentials.ts';
import type { ApiBed } from '../api-bed.ts';
import { aWorkspace, withWorkspaceKey } from '../checked-caller.ts';
import { BODIES, openAccountsBed } from './accounts-bed.ts';

const PATH = '/api/v1/connections';

let bed: ApiBed;
let count = 0;
beforeAll(async () => {
  bed = await openAccountsBed();
});
afterAll(() => bed.close());

const fresh = () => `account-${++count}`;
const secretText = (more: object = {}) => ({
  integrationName: 'chat',
  externalId: fresh(),
  type: 'SECRET_TEXT',
  secretText: 's3cret',
  ...more,
});
const create = async (body: object) => (await bed.api.must(201).post(PATH, body)).connection;
const issuesOf = async (body: object): Promise<string[]> => {
  const answer = await bed.api.post(PATH, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  return answer.body.details.issues.map(({ path }: { path: string }) => path);
};

test('a connection has exactly the fields of the contract decisions', async () => {
  const body = secretText();
  expect(await create(body)).toEqual({
    id: expect.any(String),
    externalId: body.externalId,
    displayName: body.externalId,
    integrationName: 'chat',
    authMethodKey: 'token',
    type: 'SECRET_TEXT',
    status: 'ACTIVE',
    statusReason: null,
    scope: 'ORGANIZATION',
    workspaceId: null,
    endUserId: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
});

test.each([
  ['SECRET_TEXT', 'token', { type: 'SECRET_TEXT', secretText: 's3cret' }],
  ['BASIC_AUTH', 'login', { type: 'BASIC_AUTH', username: 'ada', password: 'pa55' }],
  ['CUSTOM_AUTH', 'server', { type: 'CUSTOM_AUTH', props: { region: 'eu', apiKey: 'k3y', port: 443 } }],
  ['OAUTH2', 'consent', { type: 'OAUTH2', accessToken: 'acc355', data: {} }],
  ['PLATFORM_OAUTH2', 'consent', { type: 'PLATFORM_OAUTH2', accessToken: 'acc355', data: { team: 'T1' } }],
] as const)('%s is stored encrypted, under the method that accepts this type', async (type, authMethodKey, auth) => {
  const connection = await create({ integrationName: 'chat', externalId: fresh(), displayName: 'Ada', type, ...BODIES[type] });
  expect(connection).toMatchObject({ type, authMethodKey, displayName: 'Ada', status: 'ACTIVE' });
  const { sealed_credentials: sealedCredentials } = await bed.gateway.db('connections').where({ id: connection.id }).first();
  expect(
    await openCredentials(bed.gateway, {
      orgId: bed.orgId,
      workspaceId: connection.workspaceId,
      id: connection.id,
      authMethodKey,
      sealedCredentials,
    }),
  ).toEqual({ ...auth, methodKey: authMethodKey });
});

test('a header secret with characters that a header cannot carry is refused', async () => {
  const given = (integrationName: string, secretText: string) => ({
    integrationName,
    externalId: fresh(),
    type: 'SECRET_TEXT',
    secretText,
  });
  for (const secretText of ['github_pat_…', 'github_pat_1\n']) {
    const answer = await bed.api.post(PATH, given('github', secretText));
    expect([answer.status, answer.body.details?.issues]).toEqual([
      400,
      [{ path: 'secretText', message: 'contains characters that a header cannot have, such as "…" or a line break' }],
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('github_pat_');
  }
  expect((await create(given('github', 'github_pat_1'))).authMethodKey).toBe('token');
  expect((await create(given('chat', 'pässwörter …'))).authMethodKey).toBe('token');
  expect((await create(given('mailchimp', 'key…'))).type).toBe('SECRET_TEXT');
});

test('BASIC_AUTH stores the props of its method', async () => {
  const login = { type: 'BASIC_AUTH', username: 'ada', password: 'pa55' };
  const props = { site: 'https://blog.example' };
  const { id } = await create({ integrationName: 'press', externalId: fresh(), ...login, props });
  const { sealed_credentials: sealedCredentials } = await bed.gateway.db('connections').where({ id }).first();
  const opened = await openCredentials(bed.gateway, { orgId: bed.orgId, workspaceId: null, id, authMethodKey: 'site', sealedCredentials });
  expect(opened).toEqual({ ...login, props, methodKey: 'site' });
  expect(await issuesOf({ integrationName: 'press', externalId: fresh(), ...login })).toEqual(['props.site']);
  expect(await issuesOf({ integrationName: 'chat', externalId: fresh(), ...login, props })).toEqual(['props']);
});

test('a connection for an end user has the scope USER and creates the end user', async () => {
  const { workspaceId } = bed;
  const body = secretText({ workspaceId, endUserId: 'never-seen' });
  expect(await create(body)).toMatchObject({ scope: 'USER', workspaceId, endUserId: 'never-seen' });
  const [endUser] = await bed.gateway.db('end_users').where({ external_id: 'never-seen' });
  expect(endUser).toMatchObject({ org_id: bed.orgId, workspace_id: workspaceId });
  await create(secretText({ workspaceId, endUserId: 'never-seen' }));
  expect(await bed.gateway.db('end_users').where({ external_id: 'never-seen' })).toHaveLength(1);
});

test('the scope WORKSPACE stores the workspace; the default scope ORGANIZATION ignores the workspace', async () => {
  const { workspaceId } = bed;
  expect(await create(secretText({ workspaceId, scope: 'WORKSPACE' }))).toMatchObject({ scope: 'WORKSPACE', workspaceId, endUserId: null });
  expect(await create(secretText({ workspaceId }))).toMatchObject({ scope: 'ORGANIZATION', workspaceId: null });
});

test.each([
  ['an empty body', {}, ['type', 'integrationName', 'externalId']],
  ['an unknown type', { type: 'MAGIC', integrationName: 'chat', externalId: 'x' }, ['type']],
  [
    'an unknown type and other errors',
    { type: 'MAGIC', externalId: 5, colour: 'red', secretText: 'y' },
    ['type', 'integrationName', 'externalId', 'colour'],
  ],
  ['no name, no id, no secret', { type: 'SECRET_TEXT' }, ['integrationName', 'externalId', 'secretText']],
  ["another type's field", { type: 'SECRET_TEXT', integrationName: 'chat', externalId: 'x', secretText: 'y', username: 'z' }, ['username']],
  ['an empty secret', { type: 'SECRET_TEXT', integrationName: 'chat', externalId: 'x', secretText: '' }, ['secretText']],
  ['an empty externalId', { type: 'SECRET_TEXT', integrationName: 'chat', externalId: '', secretText: 'y' }, ['externalId']],
  ['half of basic auth', { type: 'BASIC_AUTH', integrationName: 'chat', externalId: 'x', username: 'y' }, ['password']],
  ['expiresIn 0', { type: 'OAUTH2', integrationName: 'chat', externalId: 'x', accessToken: 'y', expiresIn: 0 }, ['expiresIn']],
  ['an unknown scope', { ...secretText(), scope: 'GALAXY' }, ['scope']],
  ['USER without an end user', { ...secretText(), scope: 'USER' }, ['workspaceId', 'endUserId']],
  ['an end user without a workspace', { ...secretText(), endUserId: 'x' }, ['workspaceId']],
  ['WORKSPACE without a workspace', { ...secretText(), scope: 'WORKSPACE' }, ['workspaceId']],
  ['ORGANIZATION with an end user', { ...secretText(), scope: 'ORGANIZATION', endUserId: 'x' }, ['endUserId']],
  ['an integration that needs no account', { ...secretText(), integrationName: 'datetime' }, ['integrationName']],
  ['an unknown method', { ...secretText(), authMethodKey: 'magic' }, ['authMethodKey']],
  ['a method of another type', { ...secretText(), authMethodKey: 'login' }, ['type']],
  ['a type that the integration does not accept', { ...secretText(), integrationName: 'calendar' }, ['type']],
  [
    'OAUTH2 for an integration with only the platform app',
    { type: 'OAUTH2', integrationName: 'calendar', externalId: 'x', accessToken: 'y' },
    ['type'],
  ],
  [
    'invalid, missing and unknown props',
    { type: 'CUSTOM_AUTH', integrationName: 'chat', externalId: 'x', props: { region: 'mars', port: '1', colour: 'red' } },
    ['props.region', 'props.apiKey', 'props.port', 'props.colour'],
  ],
])('%s is refused, and the error names the invalid fields', async (_, body, paths) => {
  expect((await issuesOf(body)).sort()).toEqual([...paths].sort());
});

test('if several methods have the type, authMethodKey is required', async () => {
  const body = secretText({ integrationName: 'ledger' });
  const answer = await bed.api.post(PATH, body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.body.error).toMatch(/^authMethodKey: .*live, test/);
  expect(await create({ ...body, authMethodKey: 'test' })).toMatchObject({ authMethodKey: 'test' });
});

test('a named instance must exist and belong to the integration', async () => {
  const { workspaceId } = bed;
  const { integration } = await bed.api
    .must(201)
    .post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'chat', connectionStrategy: 'per_user' });
  const body = { workspaceId, endUserId: 'ada', workspaceIntegrationId: integration.id };
  const { id } = await create(secretText(body));
  expect(await bed.gateway.db('connections').where({ id }).first()).toMatchObject({ workspace_integration_id: integration.id });
  expect(await issuesOf(secretText({ ...body, integrationName: 'ledger', authMethodKey: 'live' }))).toEqual(['workspaceIntegrationId']);
  const unknown = secretText({ ...body, workspaceIntegrationId: '00000000-0000-4000-8000-000000000000' });
  expect(await bed.api.post(PATH, unknown)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('an unknown integration and an unknown workspace each have their own error code', async () => {
  expect(await bed.api.post(PATH, secretText({ integrationName: 'no-such' }))).toMatchObject({
    status: 404,
    body: { code: 'INTEGRATION_NOT_FOUND' },
  });
  expect(await bed.api.post(PATH, secretText({ workspaceId: '00000000-0000-4000-8000-000000000000' }))).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
});

test('an externalId is a duplicate only for the same integration and owner', async () => {
  const { workspaceId } = bed;
  const elsewhere = await aWorkspace({ ...bed }, 'elsewhere');
  const places = [
    {},
    { scope: 'WORKSPACE', workspaceId },
    { scope: 'WORKSPACE', workspaceId: elsewhere },
    { workspaceId, endUserId: 'one' },
    { workspaceId, endUserId: 'two' },
    { integrationName: 'ledger', authMethodKey: 'live' },
  ].map((place) => secretText({ externalId: 'same', ...place }));
  for (const body of places) await create(body);
  for (const body of places) expect(await bed.api.post(PATH, body)).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
});

test('of ten concurrent requests with the same externalId, one succeeds and creates the new end user', async () => {
  const body = secretText({ workspaceId: bed.workspaceId, endUserId: 'raced' });
  const answers = await Promise.all(Array.from({ length: 10 }, () => bed.api.post(PATH, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  expect(await bed.gateway.db('end_users').where({ external_id: 'raced' })).toHaveLength(1);
});

test('without a refresh token, access is EXPIRING in the last tenth of its lifetime, then ERROR', async () => {
  const oauth = (more: object) => ({
    integrationName: 'chat',
    externalId: fresh(),
    type: 'OAUTH2',
    accessToken: 'a',
    expiresIn: 1000,
    ...more,
  });
  const [ending, renewing] = [await create(oauth({})), await create(oauth({ refreshToken: 'r' }))];
  const statuses = async () =>
    Promise.all([ending, renewing].map(async ({ id }) => (await bed.api.must(200).get(`${PATH}?id=${id}`)).connection.status));
  const later = (seconds: number) =>
    bed.gateway
      .db('connections')
      .whereIn('id', [ending.id, renewing.id])
      .update({
        expires_at: bed.gateway.db.raw(`expires_at - interval '${seconds} seconds'`),
        expiring_at: bed.gateway.db.raw(`expiring_at - interval '${seconds} seconds'`),
      });
  expect(await statuses()).toEqual(['ACTIVE', 'ACTIVE']);
  await later(950);
  expect(await statuses()).toEqual(['EXPIRING', 'ACTIVE']);
  await later(50);
  expect(await statuses()).toEqual(['ERROR', 'ACTIVE']);
});

test('a workspace key can create connections only within its workspace', async () => {
  const { workspaceId } = bed;
  const here = await withWorkspaceKey(bed);
  await here.must(201).post(PATH, secretText({ workspaceId, scope: 'WORKSPACE' }));
  await here.must(201).post(PATH, secretText({ workspaceId, endUserId: 'ada' }));
  const { connection } = await here.must(201).post(PATH, secretText({ workspaceId }));
  expect(connection).toMatchObject({ scope: 'WORKSPACE', workspaceId });
  const denied = { status: 403, body: { code: 'SCOPE_DENIED' } };
  expect(await here.post(PATH, secretText({}))).toMatchObject(denied);
  expect(await here.post(PATH, secretText({ workspaceId, scope: 'ORGANIZATION' }))).toMatchObject(denied);
  const next = await aWorkspace({ ...bed }, 'next-door');
  expect(await here.post(PATH, secretText({ workspaceId: next, scope: 'WORKSPACE' }))).toMatchObject(denied);
});
