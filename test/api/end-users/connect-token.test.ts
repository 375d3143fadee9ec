import { isWellFormed } from '../../../infra/tokens.ts';
import { findConnectTokenByHash } from '../../../store/connect-tokens.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace, withWorkspaceKey } from '../checked-caller.ts';
import { anEndUser, aStranger, END_USERS, type EndUserRecord } from './end-user-bed.ts';

const DAY = 86_400;

let bed: ApiBed;
let endUser: EndUserRecord;
let instanceId: string;
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0', PLATFORM_URL: 'https://platform.example.com/' });
  endUser = await anEndUser(bed, { externalId: 'ada', email: 'ada@example.com', metadata: { a: 1 } });
  instanceId = await anInstance(bed, bed.workspaceId);
});
afterAll(() => bed?.close());

const issue = (body?: object) => bed.api.must(200).post(`${END_USERS}/${endUser.id}/connect-token`, body);
const refused = (body: object) => bed.api.post(`${END_USERS}/${endUser.id}/connect-token`, body);
const find = (token: string) => findConnectTokenByHash(bed.gateway.db, bed.gateway.tokens.hash(token));

async function anInstance({ api }: Pick<ApiBed, 'api'>, workspaceId: string, alias?: string): Promise<string> {
  const body = { integrationName: 'mail', connectionStrategy: 'per_user', alias };
  const { integration } = await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, body);
  return integration.id;
}

test('by default, a connect token is valid for seven days and unrestricted', async () => {
  for (const body of [undefined, {}]) {
    const before = Date.now();
    const { token, connectUrl, expiresAt, ...rest } = await issue(body);
    expect(rest).toEqual({});
    expect(isWellFormed(token, 'eut_')).toBe(true);
    expect(connectUrl).toBe(`https://platform.example.com/connect/portal?token=${token}`);
    const lifetime = Date.parse(expiresAt) - before;
    expect(Math.abs(lifetime - 7 * DAY * 1000)).toBeLessThan(60_000);
    expect(await find(token)).toMatchObject({ integrationName: null, workspaceIntegrationId: null });
  }
});

test('a token identifies its end user; only the hash of the token is stored', async () => {
  const { token, expiresAt } = await issue({ integrationName: 'mail' });
  const found = await find(token);
  expect(found).toEqual({
    id: expect.any(String),
    orgId: bed.orgId,
    workspaceId: bed.workspaceId,
    endUser: {
      id: endUser.id,
      orgId: bed.orgId,
      workspaceId: bed.workspaceId,
      externalId: 'ada',
      displayName: null,
      email: 'ada@example.com',
      metadata: { a: 1 },
      type: 'external',
      createdAt: new Date(endUser.createdAt as string),
      updatedAt: new Date(endUser.updatedAt as string),
    },
    integrationName: 'mail',
    workspaceIntegrationId: null,
    mayReview: false,
    expiresAt: new Date(expiresAt),
  });
  expect(await find(bed.gateway.tokens.issue('eut_'))).toBeUndefined();
  const rows = await bed.gateway.db('connect_tokens').where({ id: found!.id }).select(bed.gateway.db.raw('connect_tokens::text as row'));
  expect(rows).toHaveLength(1);
  expect(rows[0].row).not.toContain(token);
  expect(rows[0].row).not.toContain(Buffer.from(token).toString('hex'));
});

test('a token allows reviews only if it has no restriction and its creator may decide', async () => {
  expect(await find((await issue()).token)).toMatchObject({ mayReview: true });
  for (const restricted of [{ integrationName: 'mail' }, { workspaceIntegrationId: instanceId }])
    expect(await find((await issue(restricted)).token)).toMatchObject({ mayReview: false });
  const undecided = await withWorkspaceKey(bed, [bed.workspaceId]);
  const { token } = await undecided.must(200).post(`${END_USERS}/${endUser.id}/connect-token`);
  expect(await find(token)).toMatchObject({ mayReview: false });
});

test("a restriction to an instance also restricts the token to the instance's integration", async () => {
  for (const body of [{ workspaceIntegrationId: instanceId }, { workspaceIntegrationId: instanceId, integrationName: 'mail' }]) {
    const { token } = await issue(body);
    expect(await find(token)).toMatchObject({ integrationName: 'mail', workspaceIntegrationId: instanceId });
  }
});

test.each([
  [3599, 400],
  [3600, 200],
  [2_592_000, 200],
  [2_592_001, 400],
  [0, 400],
  [3600.5, 400],
  ['3600', 400],
  [null, 400],
])('expiresIn %j answers status %i', async (expiresIn, status) => {
  for (const [call, extra] of [
    ['connect-token', {}],
    ['invite', { email: 'ada@example.com' }],
  ] as const) {
    const answer = await bed.api.post(`${END_USERS}/${endUser.id}/${call}`, { ...extra, expiresIn });
    const isAccepted = answer.status === 200 || answer.body.code === 'EMAIL_NOT_CONFIGURED';
    expect([isAccepted, !isAccepted && answer.body.code]).toEqual([status === 200, status !== 200 && 'VALIDATION_ERROR']);
    if (answer.status === 200) expect(Date.parse(answer.body.expiresAt) - Date.now()).toBeGreaterThan((Number(expiresIn) - 60) * 1000);
  }
});

test('an unknown integration answers INTEGRATION_NOT_FOUND', async () => {
  expect(await refused({ integrationName: 'no-such' })).toMatchObject({ status: 404, body: { code: 'INTEGRATION_NOT_FOUND' } });
});

test("an instance outside the end user's workspace answers NOT_FOUND", async () => {
  const stranger = await aStranger(bed);
  for (const workspaceIntegrationId of [
    '00000000-0000-4000-8000-000000000000',
    await anInstance(bed, await aWorkspace(bed, 'other')),
    await anInstance(stranger, stranger.workspaceId),
  ]) {
    expect(await refused({ workspaceIntegrationId })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});

test.each([
  () => ({ workspaceIntegrationId: instanceId, integrationName: 'openai' }),
  () => ({ workspaceIntegrationId: 'no-uuid' }),
  () => ({ workspaceIntegrationId: null }),
  () => ({ integrationName: '' }),
  () => ({ integrationName: 7 }),
  () => ({ email: 'ada@example.com' }),
])('an inconsistent or invalid body answers VALIDATION_ERROR: %#', async (body) => {
  expect(await refused(body())).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('a token is invalid after its expiry, and after its instance or end user is deleted', async () => {
  const { db } = bed.gateway;
  const doomed = await anEndUser(bed);
  const doomedInstance = await anInstance(bed, bed.workspaceId, 'doomed');
  const [expired, restricted, personal] = [
    await issue(),
    await issue({ workspaceIntegrationId: doomedInstance }),
    await bed.api.must(200).post(`${END_USERS}/${doomed.id}/connect-token`),
  ];
  const { id } = (await find(expired.token))!;
  await db('connect_tokens').where({ id }).update({ expires_at: db.fn.now() });
  await bed.api.must(200).delete(`/api/v1/workspaces/${bed.workspaceId}/integrations/${doomedInstance}`);
  await bed.api.must(200).delete(`${END_USERS}/${doomed.id}`);
  for (const { token } of [expired, restricted, personal]) expect(await find(token)).toBeUndefined();

  await issue();
  expect(await db('connect_tokens').where({ id }).first()).toBeUndefined();
});
