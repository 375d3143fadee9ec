import { copyRow } from '../../support/table-contents.ts';
import {
  aClient,
  anAuthorization,
  aPerson,
  aServer,
  authorize,
  callServer,
  type OAuthBed,
  openOAuthBed,
  signIn,
  tokensFor,
} from './oauth-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
}, 120_000);
afterAll(() => bed?.close());

async function atAccount(email: string): Promise<PlainBrowser> {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/account`);
  await signIn(bed, browser, email);
  expect(browser.path).toBe('/account');
  return browser;
}

test('a person can revoke a client’s access, which invalidates the token immediately', async () => {
  const [server] = await Promise.all([aServer(bed, { name: 'Sales' }), aPerson(bed, 'ann@example.com')]);
  const { access_token } = await tokensFor(bed, server, 'ann@example.com');
  const browser = await atAccount('ann@example.com');
  expect(browser.html).toContain('Desk agent');
  expect(browser.html).toContain('Sales');
  await browser.submit({}, 'Revoke');
  expect(browser.html).toContain('The client has no access any more.');
  expect((await callServer(server, access_token)).status).toBe(401);
});

test('a person can see and disconnect only their own accounts', async () => {
  const { externalId } = await aPerson(bed, 'bea@example.com');
  const fields = { integrationName: 'mail', externalId: 'mail of bea', displayName: 'Post', type: 'SECRET_TEXT', secretText: 'zq' };
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { ...fields, workspaceId: bed.workspaceId, scope: 'USER', endUserId: externalId });
  const stranger = await atAccount('carl@example.com');
  expect(stranger.html).not.toContain('Post');
  expect(stranger.html).toContain('Nobody has added you');
  await stranger.post('/account', { id: connection.id, change: 'disconnect' });
  expect(stranger.status).toBe(404);
  const browser = await atAccount('bea@example.com');
  expect(browser.html).toContain('Mail: Post');
  await browser.submit({}, 'Disconnect');
  expect(browser.html).toContain('The account is disconnected.');
  expect((await bed.api.get(`/api/v1/connections?id=${connection.id}`)).status).toBe(404);
});

test('a person can also disconnect an account that the page has no room for', async () => {
  const { externalId } = await aPerson(bed, 'gil@example.com');
  const fields = { integrationName: 'mail', externalId: 'mail of gil', displayName: 'Post', type: 'SECRET_TEXT', secretText: 'zq' };
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { ...fields, workspaceId: bed.workspaceId, scope: 'USER', endUserId: externalId });
  const ids = await copyRow(bed.gateway.db, {
    ...{ table: 'connections', id: connection.id, count: 100 },
    changes: { id: 'gen_random_uuid()', external_id: "'mail ' || n", created_at: "now() + n * interval '1 second'" },
  });
  const browser = await atAccount('gil@example.com');
  const hidden = ids.find((id) => !browser.html.includes(id))!;
  await browser.post('/account', { id: hidden, change: 'disconnect' });
  expect(browser.html).toContain('The account is disconnected.');
  expect((await bed.api.get(`/api/v1/connections?id=${hidden}`)).status).toBe(404);
});

test('Reconnect opens the integration’s portal with a link valid for an hour', async () => {
  const { externalId } = await aPerson(bed, 'dan@example.com');
  const fields = { integrationName: 'mail', externalId: 'mail of dan', displayName: 'Post', type: 'SECRET_TEXT', secretText: 'zq' };
  await bed.api.must(201).post('/api/v1/connections', { ...fields, workspaceId: bed.workspaceId, scope: 'USER', endUserId: externalId });
  const browser = await atAccount('dan@example.com');
  await browser.submit({}, 'Reconnect');
  expect(browser.path).toBe('/connect/portal');
  expect(browser.html).toContain('Mail');
  const issued = await bed.gateway.db('connect_tokens').orderBy('created_at', 'desc').first();
  expect(issued.expires_at - issued.created_at).toBe(3_600_000);
});

test('an account with an error shows the reason', async () => {
  const { externalId } = await aPerson(bed, 'fay@example.com');
  const fields = { integrationName: 'mail', externalId: 'mail of fay', displayName: 'Post', type: 'SECRET_TEXT', secretText: 'zq' };
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { ...fields, workspaceId: bed.workspaceId, scope: 'USER', endUserId: externalId });
  const reason = 'mail.example gave no access: revoked.';
  await bed.gateway.db('connections').where({ id: connection.id }).update({ status: 'ERROR', status_reason: reason });
  expect((await atAccount('fay@example.com')).html).toContain(`Reconnect needed: ${reason}`);
});

test('signing out ends the session, so the next authorization requires a sign-in', async () => {
  const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed), aPerson(bed, 'eve@example.com')]);
  const browser = aBrowser();
  await authorize(bed, anAuthorization(bed, client_id, server.mcpEndpoint).url, 'eve@example.com', browser);
  await browser.open(`${bed.apiUrl}/account`);
  await browser.submit({}, 'Sign out');
  expect(browser.path).toBe('/sign-in');
  await browser.open(anAuthorization(bed, client_id, server.mcpEndpoint).url);
  expect(browser.path).toBe('/sign-in');
});
