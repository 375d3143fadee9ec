import { completeConnectSession } from '../../../commands/complete-connect-session.ts';
import { createOrg } from '../../../commands/create-org.ts';
import { findSessionOfToken } from '../../../commands/get-connect-session.ts';
import { aPortal, aSession, type ConnectBed, credentialsOf, openConnectBed, outcomeOf, submit } from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
}, 120_000);
afterAll(() => bed?.close());

const SECRET = 'zq-secret-4711';
const mailForm = { method: 'token', 'field.secretText': SECRET };

test('the page says what will be connected, where to, and for whom', async () => {
  const { connectUrl } = await aSession(bed, { connectionName: 'Mail of <b>Ada</b>', endUserId: 'ada-shown' });
  const { status, text, html } = await read(connectUrl);
  expect(status).toBe(200);
  expect(text).toContain('Connect Mail');
  expect(text).toContain('under the name Mail of <b>Ada</b>');
  expect(text).toContain('Only what is done for you acts with this account.');
  expect(html).not.toContain('<b>Ada');
});

test('a secret that is entered becomes an active connection, and the session is COMPLETED', async () => {
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

test('the fields of a custom method are asked for as its schema says, and kept as it reads them', async () => {
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

test('what is missing or wrong is said at the field; nothing is connected, and no secret is shown again', async () => {
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

test('people are sent back with the outcome, and their own query is kept', async () => {
  const { connectUrl, token } = await aSession(bed, { successRedirectUri: 'https://app.example/done?tab=2' });
  const sent = await submit(connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, token);
  expect(sent.headers.get('location')).toBe(`https://app.example/done?tab=2&status=success&connectionId=${connectionId}`);
});

test('connecting the same externalId again replaces the credentials of the same connection, and it is active again', async () => {
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

test('what takes the place of another account says so before, and has the new name afterwards', async () => {
  const first = await aSession(bed, { externalId: 'renamed', connectionName: 'Old name', scope: 'WORKSPACE' });
  expect((await read(first.connectUrl)).text).not.toContain('takes the place');
  await submit(first.connectUrl, mailForm);
  const second = await aSession(bed, { externalId: 'renamed', connectionName: 'New name', scope: 'WORKSPACE' });
  const { text } = await read(second.connectUrl);
  expect(text).toContain('It takes the place of the account that is connected there as Old name now.');
  expect(text).toContain('under the name New name');
  await submit(second.connectUrl, mailForm);
  expect((await read(second.connectUrl)).text).toContain('under the name New name');
  const { connectionId } = await outcomeOf(bed, second.token);
  expect((await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection.displayName).toBe('New name');
});

test('the page names the organization where the account is for all of it, else the workspace', async () => {
  const wide = await aSession(bed, { externalId: 'place', scope: 'ORGANIZATION' });
  const near = await aSession(bed, { externalId: 'place', scope: 'WORKSPACE' });
  expect((await read(wide.connectUrl)).text).toContain('to the organization Bed');
  expect((await read(wide.connectUrl)).text).not.toContain('workspace');
  expect((await read(near.connectUrl)).text).toContain('to the workspace');
  await submit(wide.connectUrl, mailForm);
  expect((await read(wide.connectUrl)).text).toContain('connected to the organization Bed');
});

test('a link connects once: afterwards its form changes nothing', async () => {
  const { connectUrl, token } = await aSession(bed, { externalId: 'once' });
  await submit(connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, token);
  expect((await submit(connectUrl, { ...mailForm, 'field.secretText': 'another' })).status).toBe(200);
  expect(await credentialsOf(bed, connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });
});

test('ten that send the form at once make one connection', async () => {
  const { connectUrl, token } = await aSession(bed, { externalId: 'raced' });
  const sent = await Promise.all(Array.from({ length: 10 }, () => submit(connectUrl, mailForm)));
  expect(sent.every(({ status }) => status === 303 || status === 200)).toBe(true);
  const { connections } = await bed.api.must(200).get(`/api/v1/connections?workspaceId=${bed.workspaceId}`);
  const raced = connections.filter(({ externalId }: { externalId: string }) => externalId === 'raced');
  expect(raced.map(({ id }: { id: string }) => id)).toEqual([(await outcomeOf(bed, token)).connectionId]);
});

test('of two that send different accounts at once one is connected, and the other is told that the link is used', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { connectUrl, token } = await aSession(bed, { externalId: `two-${round}` });
    const secrets = ['first', 'second', 'third', 'fourth'];
    const sent = await Promise.all(secrets.map((secret) => submit(connectUrl, { ...mailForm, 'field.secretText': secret })));
    const texts = await Promise.all(sent.map((answer) => answer.text()));
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 200, 303]);
    expect(texts.filter((text) => text.includes('Mail is connected'))).toHaveLength(3);
    const won = secrets[sent.findIndex(({ status }) => status === 303)];
    const { connectionId } = await outcomeOf(bed, token);
    expect(await credentialsOf(bed, connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: won });
  }
});

test('a session that ends while its account is being linked leaves the account as it was', async () => {
  const before = await aSession(bed, { externalId: 'kept', endUserId: 'dora' });
  await submit(before.connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, before.token);
  const { token, sessionId } = await aSession(bed, { externalId: 'kept', endUserId: 'dora' });
  const session = (await findSessionOfToken(bed.gateway, token))!;
  await bed.gateway.db('connect_sessions').where({ id: sessionId }).update({ status: 'FAILED' });
  const access = { authMethodKey: 'token', credentials: { type: 'SECRET_TEXT', secretText: 'too late' } } as const;
  expect(await completeConnectSession(bed.gateway, session, access)).toBeUndefined();
  expect(await credentialsOf(bed, connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });
});

test('an expired link offers nothing and takes nothing', async () => {
  const { connectUrl, token, sessionId } = await aSession(bed, { externalId: 'late' });
  await bed.gateway
    .db('connect_sessions')
    .where({ id: sessionId })
    .update({ expires_at: bed.gateway.db.raw('now()') });
  const shown = await read(connectUrl);
  expect([shown.status, shown.text.includes('The link expired'), shown.html.includes('<form')]).toEqual([410, true, false]);
  expect((await submit(connectUrl, mailForm)).status).toBe(410);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'FAILED', connectionId: null });
});

test('GET and HEAD change nothing, and every answer is kept nowhere, indexed nowhere and framed nowhere', async () => {
  const { connectUrl, token } = await aSession(bed);
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(connectUrl, { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-robots-tag')).toContain('noindex');
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'/,
    );
  }
  expect((await fetch(connectUrl, { method: 'PUT' })).status).toBe(405);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
});

test('a token that opens nothing, and one of another family, find one and the same page', async () => {
  const portal = await aPortal(bed, 'wrong-door');
  const { token } = await aSession(bed);
  const links = [
    `/connect?token=${bed.gateway.tokens.issue('cst_')}`,
    `/connect?token=${token.slice(0, -1)}!`,
    '/connect',
    `/connect?token=${token}&token=${token}`,
    `/connect?token=${portal.token}`,
    `/connect/portal?token=${token}`,
    `/connect?token=${bed.plainKey}`,
    '/connect/nowhere',
  ];
  for (const link of links) {
    const { status, text } = await read(`${bed.apiUrl}${link}`);
    expect([link, status, text.includes('This link opens nothing')]).toEqual([link, 404, true]);
  }
  expect((await submit(`${bed.apiUrl}/connect?token=${portal.token}`, mailForm)).status).toBe(404);
});

test('neither a key nor a page token opens what is meant for the other', async () => {
  const { token } = await aSession(bed);
  const portal = await aPortal(bed, 'other-door');
  for (const credential of [token, portal.token]) {
    const answer = await fetch(`${bed.apiUrl}/api/v1/workspaces`, { headers: { authorization: `Bearer ${credential}` } });
    expect(answer.status).toBe(401);
  }
});

test("another site cannot send the form, and the form can't name a method that is not offered", async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'cloud', authMethodKey: 'token' });
  expect((await submit(connectUrl, mailForm, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect((await submit(connectUrl, mailForm, { Origin: 'https://evil.example' })).status).toBe(403);
  expect((await submit(connectUrl, { ...mailForm, method: 'oauth' })).status).toBe(400);
  expect((await fetch(connectUrl, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status).toBe(415);
  expect((await submit(connectUrl, { ...mailForm, 'field.secretText': 'x'.repeat(33_000) })).status).toBe(413);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
});

test('a session goes with its workspace', async () => {
  const org = await createOrg(bed.gateway, 'Short-lived');
  const { workspaceId, plainKey } = org;
  const call = (method: string, path: string, body?: object) =>
    fetch(`${bed.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${plainKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const fields = { integrationName: 'mail', connectionName: 'x', externalId: 'x', workspaceId };
  const { connectUrl } = (await (await call('POST', '/api/v1/connect/token', fields)).json()) as { connectUrl: string };
  await call('DELETE', `/api/v1/workspaces/${workspaceId}`);
  expect((await submit(connectUrl, mailForm)).status).toBe(404);
});
