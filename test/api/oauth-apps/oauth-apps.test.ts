import { createOrg } from '../../../commands/access/create-org.ts';
import { openClientSecret } from '../../../commands/connections/create-oauth-app.ts';
import { findOauthApp } from '../../../store/oauth-apps.ts';
import { checkedCaller, withWorkspaceKey } from '../checked-caller.ts';
import { type ConnectBed, openConnectBed } from '../connect/connect-bed.ts';

const PATH = '/api/v1/oauth-apps';
const SECRET = 'zq-a-client-secret';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

async function aStranger() {
  const org = await createOrg(bed.gateway, 'Stranger');
  return { ...org, apiUrl: bed.apiUrl, api: checkedCaller(bed.apiUrl, org.plainKey) };
}

test('an app’s secret is stored encrypted and is never listed; the app can be deleted', async () => {
  const { api, orgId } = await aStranger();
  const { oauthApp } = await api
    .must(201)
    .post(PATH, { integrationName: 'cloud', clientId: 'abc', clientSecret: SECRET, displayName: 'Ours' });
  expect(oauthApp).toEqual({
    id: expect.any(String),
    integrationName: 'cloud',
    clientId: 'abc',
    displayName: 'Ours',
    createdAt: expect.any(String),
  });
  expect(await api.must(200).get(PATH)).toEqual({ oauthApps: [oauthApp], total: 1 });

  const kept = (await findOauthApp(bed.gateway.db, orgId, 'cloud'))!;
  expect(kept.sealedClientSecret.includes(SECRET)).toBe(false);
  expect(await openClientSecret(bed.gateway, kept)).toBe(SECRET);

  expect(await api.must(200).delete(`${PATH}/${oauthApp.id}`)).toEqual({ deleted: true, id: oauthApp.id });
  expect(await api.must(200).get(PATH)).toEqual({ oauthApps: [], total: 0 });
  expect((await api.delete(`${PATH}/${oauthApp.id}`)).status).toBe(404);
});

test('an integration has one app per organization, even under concurrent requests', async () => {
  const [one, other] = await Promise.all([aStranger(), aStranger()]);
  const body = { integrationName: 'cloud', clientId: 'abc', clientSecret: SECRET };
  const answers = await Promise.all(Array.from({ length: 5 }, () => one.api.post(PATH, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('DUPLICATE');
  await other.api.must(201).post(PATH, body);
});

test('an app of another organization is not found or listed', async () => {
  const [one, other] = await Promise.all([aStranger(), aStranger()]);
  const { oauthApp } = await one.api.must(201).post(PATH, { integrationName: 'cloud', clientId: 'abc', clientSecret: SECRET });
  expect(await other.api.must(200).get(PATH)).toEqual({ oauthApps: [], total: 0 });
  expect(await other.api.delete(`${PATH}/${oauthApp.id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await other.api.delete(`${PATH}/nonsense`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('a workspace key cannot list, create or delete apps', async () => {
  const tenant = await aStranger();
  const body = { integrationName: 'cloud', clientId: 'abc', clientSecret: SECRET };
  const { oauthApp } = await tenant.api.must(201).post(PATH, body);
  const limited = await withWorkspaceKey(tenant);
  for (const answer of [await limited.get(PATH), await limited.post(PATH, body), await limited.delete(`${PATH}/${oauthApp.id}`)])
    expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_DENIED']);
});

test.each([
  ['an integration without OAuth', { integrationName: 'mail' }, 400, ['integrationName']],
  ['an integration that needs no account', { integrationName: 'clock' }, 400, ['integrationName']],
  ['an empty clientId', { clientId: '' }, 400, ['clientId']],
  ['a clientSecret that is too long', { clientSecret: 'x'.repeat(2001) }, 400, ['clientSecret']],
  ['an unknown field', { colour: 'red' }, 400, ['colour']],
])('%s is refused', async (_, fields, status, paths) => {
  const answer = await bed.api.post(PATH, { integrationName: 'vault', clientId: 'abc', clientSecret: SECRET, ...fields });
  expect([answer.status, answer.body.code]).toEqual([status, 'VALIDATION_ERROR']);
  expect(answer.body.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
});

test('a secret of 2,000 characters is accepted; an unknown integration has its own error code', async () => {
  const { api } = await aStranger();
  await api.must(201).post(PATH, { integrationName: 'vault', clientId: 'abc', clientSecret: 'x'.repeat(2000) });
  expect(await api.post(PATH, { integrationName: 'nowhere', clientId: 'abc', clientSecret: SECRET })).toMatchObject({
    status: 404,
    body: { code: 'INTEGRATION_NOT_FOUND' },
  });
});

test('apps are listed in pages with an exact total', async () => {
  const { api } = await aStranger();
  for (const integrationName of ['cloud', 'vault'])
    await api.must(201).post(PATH, { integrationName, clientId: 'a', clientSecret: SECRET });
  const { oauthApps, total } = await api.must(200).get(`${PATH}?limit=1&offset=1`);
  expect([oauthApps.map(({ integrationName }: { integrationName: string }) => integrationName), total]).toEqual([['vault'], 2]);
  expect((await api.get(`${PATH}?limit=0`)).status).toBe(400);
});
