import { aSession, type ConnectBed, credentialsOf, openConnectBed, outcomeOf, submit } from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

const SECRET = 'zq-secret-4711';
const mailForm = { method: 'token', 'field.secretText': SECRET };

test('the page names the account, the integration and the end user', async () => {
  const { connectUrl } = await aSession(bed, { connectionName: 'Mail of <b>Ada</b>', endUserId: 'ada-shown' });
  const { status, text, html } = await read(connectUrl);
  expect(status).toBe(200);
  expect(text).toContain('Connect Mail');
  expect(text).toContain('under the name Mail of <b>Ada</b>');
  expect(text).toContain('Only actions on your behalf use this account.');
  expect(html).not.toContain('<b>Ada');
});

test('an entered secret becomes an active connection, and the session becomes COMPLETED', async () => {
  const { connectUrl, token, sessionId } = await aSession(bed, { externalId: 'entered', scope: 'WORKSPACE' });
  const sent = await submit(connectUrl, { ...mailForm, 'field.secretText': `  ${SECRET}\n` });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `connect?token=${token}`]);

  const outcome = await outcomeOf(bed, token);
  expect(outcome).toMatchObject({ status: 'COMPLETED', authMethodKey: 'token', externalId: 'entered', error: null });
  const { connection } = await bed.api.must(200).get(`/api/v1/connections?id=${outcome.connectionId}`);
  expect(connection).toMatchObject({
    externalId: 'entered',
    displayName: 'My mail',
    integrationName: 'mail',
    type: 'SECRET_TEXT',
    status: 'ACTIVE',
    scope: 'WORKSPACE',
    workspaceId: bed.workspaceId,
  });
  expect(await credentialsOf(bed, outcome.connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });

  const after = await read(connectUrl);
  expect(after.text).toContain('Mail is connected');
  expect(after.html).not.toContain('<form');
  expect(JSON.stringify([after.html, outcome, await bed.api.must(200).get(`/api/v1/connect/session/${sessionId}`)])).not.toContain(SECRET);
});

test('a user name and a password become a connection; the password keeps its spaces', async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'ledger' });
  await submit(connectUrl, { method: 'login', 'field.username': 'ada', 'field.password': ' pass word ' });
  expect(await credentialsOf(bed, (await outcomeOf(bed, token)).connectionId)).toEqual({
    type: 'BASIC_AUTH',
    username: 'ada',
    password: ' pass word ',
  });
});

test('a login can have props besides user name and password', async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'press' });
  const login = { method: 'site', 'field.username': 'ada', 'field.password': SECRET };
  const wrong = await submit(connectUrl, { ...login, 'field.site': 'blog' });
  expect([wrong.status, (await wrong.text()).match(/Site expects [^<]*/)?.[0]]).toEqual([400, expect.stringContaining('expects')]);
  expect((await submit(connectUrl, { ...login, 'field.site': 'https://blog.example' })).status).toBe(303);
  expect(await credentialsOf(bed, (await outcomeOf(bed, token)).connectionId)).toEqual({
    ...{ type: 'BASIC_AUTH', username: 'ada', password: SECRET },
    props: { site: 'https://blog.example' },
  });
});

test('the form and the stored values follow the schema of a custom method', async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'shop' });
  const { html, text } = await read(connectUrl);
  expect(text).toContain('Such as my-shop.example');
  expect(html).toMatch(/<input id="[^"]+" name="field.apiKey" type="password"/);
  expect(html).toMatch(/<option value="eu" selected>/);
  const fields = {
    'field.domain': 'shop.example',
    'field.apiKey': SECRET,
    'field.region': 'us',
    'field.retries': '3',
    'field.sandbox': 'yes',
  };
  expect((await submit(connectUrl, { method: 'key', ...fields })).status).toBe(303);
  expect(await credentialsOf(bed, (await outcomeOf(bed, token)).connectionId)).toEqual({
    type: 'CUSTOM_AUTH',
    props: { domain: 'shop.example', apiKey: SECRET, region: 'us', retries: 3, sandbox: true },
  });
});

test('missing or invalid fields are reported, and no secret is shown again', async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'shop', externalId: 'wrong' });
  const fields = { method: 'key', 'field.domain': 'x'.repeat(31), 'field.apiKey': SECRET, 'field.retries': 'many' };
  const missing = await submit(connectUrl, { method: 'key', 'field.domain': 'kept.example' });
  const missingHtml = await missing.text();
  expect([missing.status, missingHtml.includes('Api key is needed'), missingHtml.includes('value="kept.example"')]).toEqual([
    400,
    true,
    true,
  ]);
  const wrong = await submit(connectUrl, fields);
  const html = await wrong.text();
  expect(wrong.status).toBe(400);
  expect(html).toContain('Domain is too long: at most 30 characters');
  expect(html).toContain('Retries expects a number');
  expect(html).toContain('aria-invalid="true"');
  expect(html).not.toContain(SECRET);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING', connectionId: null });
});

test("people are redirected with the outcome, and the redirect keeps the caller's own query", async () => {
  const { connectUrl, token } = await aSession(bed, { successRedirectUri: 'https://app.example/done?tab=2' });
  const sent = await submit(connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, token);
  expect(sent.headers.get('location')).toBe(`https://app.example/done?tab=2&status=success&connectionId=${connectionId}`);
});

test('connecting an externalId again replaces the credentials and reactivates the connection', async () => {
  const first = await aSession(bed, { externalId: 'again', endUserId: 'bob' });
  await submit(first.connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, first.token);
  await bed.gateway.db('connections').where({ id: connectionId }).update({ status: 'ERROR' });

  const second = await aSession(bed, { externalId: 'again', endUserId: 'bob' });
  await submit(second.connectUrl, { ...mailForm, 'field.secretText': 'zq-the-new-one' });
  expect(await outcomeOf(bed, second.token)).toMatchObject({ status: 'COMPLETED', connectionId });
  expect(await credentialsOf(bed, connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: 'zq-the-new-one' });
  expect((await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection.status).toBe('ACTIVE');

  const otherUser = await aSession(bed, { externalId: 'again', endUserId: 'carol' });
  await submit(otherUser.connectUrl, mailForm);
  expect((await outcomeOf(bed, otherUser.token)).connectionId).not.toBe(connectionId);
});

test('the page announces that another account is replaced', async () => {
  const first = await aSession(bed, { externalId: 'renamed', connectionName: 'Old name', scope: 'WORKSPACE' });
  expect((await read(first.connectUrl)).text).not.toContain('replaces the account');
  await submit(first.connectUrl, mailForm);
  const second = await aSession(bed, { externalId: 'renamed', connectionName: 'New name', scope: 'WORKSPACE' });
  const { text } = await read(second.connectUrl);
  expect(text).toContain('Your account replaces the account Old name , which is connected there now.');
  expect(text).toContain('under the name New name');
  await submit(second.connectUrl, mailForm);
  expect((await read(second.connectUrl)).text).toContain('under the name New name');
  const { connectionId } = await outcomeOf(bed, second.token);
  expect((await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection.displayName).toBe('New name');
});

test('the page names the organization for organization-wide accounts, and the workspace for others', async () => {
  const wide = await aSession(bed, { externalId: 'place', scope: 'ORGANIZATION' });
  const near = await aSession(bed, { externalId: 'place', scope: 'WORKSPACE' });
  expect((await read(wide.connectUrl)).text).toContain('to the organization Bed');
  expect((await read(wide.connectUrl)).text).not.toContain('workspace');
  expect((await read(near.connectUrl)).text).toContain('to the workspace');
  await submit(wide.connectUrl, mailForm);
  expect((await read(wide.connectUrl)).text).toContain('connected to the organization Bed');
});
