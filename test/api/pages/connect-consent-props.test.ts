import { currentCredentials } from '../../../commands/connections/refresh-connection.ts';
import { findUsableById } from '../../../store/usable-connections.ts';
import {
  anOauthApp,
  aPortal,
  aSession,
  type ConnectBed,
  comeBack,
  cookiesOf,
  credentialsOf,
  openConnectBed,
  outcomeOf,
  submit,
} from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
  await anOauthApp(bed, 'stall');
});
afterAll(() => bed?.close());

const aStall = () => aSession(bed, { integrationName: 'stall', externalId: `stall-${Math.random()}` });

async function consented(fields: Record<string, string>) {
  const { connectUrl, token } = await aStall();
  const sent = await submit(connectUrl, { method: 'oauth', ...fields });
  const consentUrl = sent.headers.get('location')!;
  await comeBack(await bed.provider.consent(consentUrl), cookiesOf(sent));
  return { consentUrl, ...(await outcomeOf(bed, token)) };
}

test('the page first asks for props that the consent addresses need', async () => {
  const { connectUrl, token } = await aStall();
  const { html, text } = await read(connectUrl);
  expect(html).toMatch(/<input id="[^"]+" name="field.shop" type="text"/);
  expect(text).toContain('Continue to Stall');
  const missing = await submit(connectUrl, { method: 'oauth', 'field.site': 'https://kept.example' });
  expect([missing.status, (await missing.text()).includes('value="https://kept.example"')]).toEqual([400, true]);
  const wrong = await submit(connectUrl, { method: 'oauth', 'field.shop': 'x'.repeat(31) });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('Shop is too long: at most 30 characters')]);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
});

test('a prop is used in all OAuth addresses and stored with the account', async () => {
  const { consentUrl, status, connectionId } = await consented({ 'field.shop': 'acme', 'field.site': 'https://TWO.example/' });
  expect([new URL(consentUrl).pathname, status]).toEqual(['/acme/authorize', 'COMPLETED']);
  const kept = { account: 'ada@example.com', siteId: 'site-2', shop: 'acme', site: 'https://TWO.example/' };
  expect(await credentialsOf(bed, connectionId)).toMatchObject({ type: 'OAUTH2', data: kept });

  const { db } = bed.gateway;
  await db('connections')
    .where({ id: connectionId })
    .update({ expires_at: db.raw("now() - interval '5 seconds'") });
  bed.provider.answerNext(200, JSON.stringify({ access_token: 'zq-new', expires_in: 3600, shop: 'elsewhere', plan: 'big' }));
  const { orgId, workspaceId } = bed;
  const place = { orgId, workspaceId, integrationName: 'stall', endUserId: null, workspaceIntegrationId: null };
  const fresh = await currentCredentials(bed.gateway, (await findUsableById(db, place, connectionId))!);
  expect(fresh).toMatchObject({ accessToken: 'zq-new', data: { ...kept, plan: 'big' } });
  expect(bed.provider.tokenPaths).toEqual(['/acme/token', '/acme/token']);
});

test('a value cannot add segments to the path of an address', async () => {
  const { connectUrl } = await aStall();
  const sent = await submit(connectUrl, { method: 'oauth', 'field.shop': '../evil' });
  expect(new URL(sent.headers.get('location')!).pathname).toBe('/..%2Fevil/authorize');
  expect((await submit(connectUrl, { method: 'oauth', 'field.shop': '..' })).status).toBe(400);
});

test.each([
  ['several sites without a choice', {}, 'does not identify the requested account. It names https://one.example, https://two.example'],
  ['an unknown site', { 'field.site': 'https://three.example' }, 'It names https://one.example, https://two.example'],
])('%s: nothing is connected, and the error lists the available sites', async (_, fields, said) => {
  const { status, connectionId, error } = await consented({ 'field.shop': 'acme', ...fields });
  expect([status, connectionId, error]).toEqual(['FAILED', null, expect.stringContaining(said)]);
});

test('a site that is listed several times counts once', async () => {
  const { connectionId } = await consented({ 'field.shop': 'acme', 'field.site': 'https://one.example' });
  expect(await credentialsOf(bed, connectionId)).toMatchObject({ data: { siteId: 'site-1' } });
});

test('if the third party does not describe the account, nothing is connected', async () => {
  const { connectUrl, token } = await aStall();
  const sent = await submit(connectUrl, { method: 'oauth', 'field.shop': 'acme' });
  bed.provider.answerNext(200, JSON.stringify({ access_token: 'unknown-there' }));
  await comeBack(await bed.provider.consent(sent.headers.get('location')!), cookiesOf(sent));
  expect(await outcomeOf(bed, token)).toMatchObject({
    status: 'FAILED',
    error: '127.0.0.1 did not describe the account: it answered 401.',
  });
});

test('the portal of an end user also asks for the prop', async () => {
  await bed.api
    .must(201)
    .post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'stall', connectionStrategy: 'per_user' });
  const { connectUrl } = await aPortal(bed, 'stall-keeper');
  const { html } = await read(connectUrl);
  const entry = /connect=([^"&]+)/.exec(html)![1]!;
  const missing = await submit(connectUrl, { entry, method: 'oauth' });
  expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('Shop is needed')]);
  const sent = await submit(connectUrl, { entry, method: 'oauth', 'field.shop': 'acme' });
  expect(new URL(sent.headers.get('location')!).pathname).toBe('/acme/authorize');
});
