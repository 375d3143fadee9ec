import { createOrg } from '../../../commands/access/create-org.ts';
import { completeConnectSession } from '../../../commands/connect/complete-connect-session.ts';
import { findSessionOfToken } from '../../../commands/connect/get-connect-session.ts';
import { aPortal, aSession, type ConnectBed, credentialsOf, openConnectBed, outcomeOf, submit } from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

const SECRET = 'zq-secret-4711';
const mailForm = { method: 'token', 'field.secretText': SECRET };

test('a link connects once; afterwards, its form changes nothing', async () => {
  const { connectUrl, token } = await aSession(bed, { externalId: 'once' });
  await submit(connectUrl, mailForm);
  const { connectionId } = await outcomeOf(bed, token);
  expect((await submit(connectUrl, { ...mailForm, 'field.secretText': 'another' })).status).toBe(200);
  expect(await credentialsOf(bed, connectionId)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });
});

test('ten concurrent forms create one connection', async () => {
  const { connectUrl, token } = await aSession(bed, { externalId: 'raced' });
  const sent = await Promise.all(Array.from({ length: 10 }, () => submit(connectUrl, mailForm)));
  expect(sent.every(({ status }) => status === 303 || status === 200)).toBe(true);
  const { connections } = await bed.api.must(200).get(`/api/v1/connections?workspaceId=${bed.workspaceId}`);
  const raced = connections.filter(({ externalId }: { externalId: string }) => externalId === 'raced');
  expect(raced.map(({ id }: { id: string }) => id)).toEqual([(await outcomeOf(bed, token)).connectionId]);
});

test('of four concurrent forms with different secrets, only one stores its secret', async () => {
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

test('if a session ends while its account is being stored, the account stays unchanged', async () => {
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

test('an expired link shows and accepts no form', async () => {
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

test('GET and HEAD change nothing; answers cannot be cached, indexed or framed', async () => {
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

test('an invalid token and another kind of token get the same page', async () => {
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
    expect([link, status, text.includes('This link does not work')]).toEqual([link, 404, true]);
  }
  expect((await submit(`${bed.apiUrl}/connect?token=${portal.token}`, mailForm)).status).toBe(404);
});

test('a page token does not work as an API key', async () => {
  const { token } = await aSession(bed);
  const portal = await aPortal(bed, 'other-door');
  for (const credential of [token, portal.token]) {
    const answer = await fetch(`${bed.apiUrl}/api/v1/workspaces`, { headers: { authorization: `Bearer ${credential}` } });
    expect(answer.status).toBe(401);
  }
});

test('another site cannot submit the form, and the form accepts only offered methods', async () => {
  const { connectUrl, token } = await aSession(bed, { integrationName: 'cloud', authMethodKey: 'token' });
  expect((await submit(connectUrl, mailForm, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect((await submit(connectUrl, mailForm, { Origin: 'https://evil.example' })).status).toBe(403);
  expect((await submit(connectUrl, { ...mailForm, method: 'oauth' })).status).toBe(400);
  expect((await fetch(connectUrl, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status).toBe(415);
  expect((await submit(connectUrl, { ...mailForm, 'field.secretText': 'x'.repeat(33_000) })).status).toBe(413);
  expect(await outcomeOf(bed, token)).toMatchObject({ status: 'PENDING' });
});

test('deleting a workspace also deletes its sessions', async () => {
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
