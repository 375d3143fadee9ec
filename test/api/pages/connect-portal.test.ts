import {
  anInstance,
  aPortal,
  aSession,
  type ConnectBed,
  credentialsOf,
  openConnectBed,
  outcomeOf,
  submit,
} from '../connect/connect-bed.ts';
import { read } from './page-bed.ts';

let bed: ConnectBed;
let mail: string;
let shop: string;
beforeAll(async () => {
  bed = await openConnectBed();
  mail = await anInstance(bed, 'mail');
  shop = await anInstance(bed, 'shop', { displayName: 'The <i>shop</i>' });
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { integrationName: 'ledger', externalId: 'shared', type: 'BASIC_AUTH', username: 'a', password: 'b' });
  await anInstance(bed, 'ledger', { connectionStrategy: 'fixed', connectionId: connection.id });
  await anInstance(bed, 'vault');
  await anInstance(bed, 'clock');
});
afterAll(() => bed?.close());

const SECRET = 'zq-portal-secret';
const mailForm = () => ({ entry: mail, method: 'token', 'field.secretText': SECRET });
const connectionsOf = async (endUserId: string) => (await bed.api.must(200).get(`/api/v1/connections?endUserId=${endUserId}`)).connections;

test('an end user sees the integrations that accept their own account, each with its status', async () => {
  const { connectUrl } = await aPortal(bed, 'ada');
  const { status, text, html } = await read(connectUrl);
  expect(status).toBe(200);
  expect(text).toContain('Accounts of ada in the workspace');
  expect([...html.matchAll(/<h2 id="entry-\d+">(.*?)<\/h2>/g)].map(([, name]) => name)).toEqual([
    'Mail',
    'The &lt;i&gt;shop&lt;/i&gt;',
    'Vault',
  ]);
  expect(text.match(/Not connected/g)).toHaveLength(3);
  expect(text).toContain('must first configure an OAuth app');
  expect(text).not.toContain('Ledger');
});

test('an end user can connect, reconnect and disconnect an account', async () => {
  const { connectUrl, token } = await aPortal(bed, 'bob');
  const form = await read(`${connectUrl}&connect=${mail}`);
  expect(form.text).toContain('Connect Mail');

  const sent = await submit(connectUrl, mailForm());
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `portal?token=${token}&done=${mail}`]);
  const [connection] = await connectionsOf('bob');
  expect(connection).toMatchObject({ externalId: 'mail', displayName: 'Mail', scope: 'USER', endUserId: 'bob', status: 'ACTIVE' });
  expect(await credentialsOf(bed, connection.id)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });
  const shown = await read(`${bed.apiUrl}/connect/${sent.headers.get('location')}`);
  expect(shown.text).toContain('Mail is connected now.');
  expect(shown.text).toContain('Reconnect Mail');
  expect(shown.html).not.toContain(SECRET);

  await bed.gateway.db('connections').where({ id: connection.id }).update({ status: 'ERROR' });
  expect((await read(connectUrl)).text).toContain('Reconnect needed');
  await submit(connectUrl, { ...mailForm(), 'field.secretText': 'zq-newer' });
  expect(await credentialsOf(bed, connection.id)).toEqual({ type: 'SECRET_TEXT', secretText: 'zq-newer' });
  expect((await connectionsOf('bob')).map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [connection.id, 'ACTIVE'],
  ]);

  const gone = await submit(connectUrl, { entry: mail, change: 'disconnect' });
  expect((await read(`${bed.apiUrl}/connect/${gone.headers.get('location')}`)).text).toContain('Mail is disconnected now.');
  expect(await connectionsOf('bob')).toEqual([]);
  expect((await submit(connectUrl, { entry: mail, change: 'disconnect' })).status).toBe(303);
});

test('errors are shown at their fields, and nothing is connected', async () => {
  const { connectUrl } = await aPortal(bed, 'carol');
  const answer = await submit(connectUrl, { entry: shop, method: 'key', 'field.domain': 'shop.example' });
  expect([answer.status, (await answer.text()).includes('Api key is needed')]).toEqual([400, true]);
  expect(await connectionsOf('carol')).toEqual([]);
});

test('end users can see and change only their own accounts', async () => {
  const [one, other] = [await aPortal(bed, 'dan'), await aPortal(bed, 'eve')];
  await submit(one.connectUrl, mailForm());
  expect((await read(other.connectUrl)).text.match(/Not connected/g)).toHaveLength(3);
  await submit(other.connectUrl, { entry: mail, change: 'disconnect' });
  expect(await connectionsOf('dan')).toHaveLength(1);
});

test('two instances of one integration have separate accounts, even after an instance is renamed', async () => {
  const first = await anInstance(bed, 'mail', { alias: 'work' });
  const { connectUrl } = await aPortal(bed, 'fay');
  await submit(connectUrl, { ...mailForm(), entry: first, 'field.secretText': 'zq-first' });
  await bed.api.must(200).patch(`/api/v1/workspaces/${bed.workspaceId}/integrations/${first}`, { alias: 'old-work' });
  const second = await anInstance(bed, 'mail', { alias: 'work' });
  await submit(connectUrl, { ...mailForm(), entry: second, 'field.secretText': 'zq-second' });
  const connections: { id: string }[] = await connectionsOf('fay');
  const secrets = await Promise.all(connections.map(async ({ id }) => credentialsOf(bed, id)));
  expect(secrets).toEqual([
    { type: 'SECRET_TEXT', secretText: 'zq-first' },
    { type: 'SECRET_TEXT', secretText: 'zq-second' },
  ]);
  for (const id of [first, second]) await bed.api.must(200).delete(`/api/v1/workspaces/${bed.workspaceId}/integrations/${id}`);
});

test('a link for one integration shows this integration, even if the workspace has not configured it', async () => {
  const ofMail = await read((await aPortal(bed, 'gus', { integrationName: 'mail' })).connectUrl);
  expect(ofMail.html.match(/<h2/g)).toHaveLength(1);
  const { connectUrl } = await aPortal(bed, 'hal', { integrationName: 'cloud' });
  expect((await read(connectUrl)).text).toContain('Cloud');
  await submit(connectUrl, { entry: 'cloud', method: 'token', 'field.secretText': SECRET });
  expect(await connectionsOf('hal')).toMatchObject([{ integrationName: 'cloud', externalId: 'cloud' }]);
  expect((await submit(connectUrl, mailForm())).status).toBe(404);
});

test('a link for one instance offers only the method of the configured connection', async () => {
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { integrationName: 'cloud', externalId: 'fallback', type: 'SECRET_TEXT', secretText: 'x' });
  const instance = await anInstance(bed, 'cloud', { connectionStrategy: 'fixed', connectionId: connection.id });
  const { connectUrl } = await aPortal(bed, 'ida', { workspaceIntegrationId: instance });
  expect((await read(connectUrl)).html.match(/<h2/g)).toHaveLength(1);
  const { text } = await read(`${connectUrl}&connect=${instance}`);
  expect(text).toContain('API token');
  expect(text).not.toContain('Sign in');
});

test('an end user can disconnect a second account, and accounts without a configured instance', async () => {
  const { connectUrl } = await aPortal(bed, 'mia');
  const place = { workspaceId: bed.workspaceId, endUserId: 'mia' };
  const connect = async (fields: object) => (await bed.api.must(201).post('/api/v1/connections', { ...place, ...fields })).connection;
  const secret = { type: 'SECRET_TEXT', secretText: SECRET };
  const unconfigured = await connect({ integrationName: 'cloud', externalId: 'a', displayName: 'My files', ...secret });
  const fixed = await connect({ integrationName: 'ledger', externalId: 'b', type: 'BASIC_AUTH', username: 'a', password: 'b' });
  const second = await connect({ integrationName: 'mail', externalId: 'c', displayName: 'Second mail', ...secret });
  await connect({ integrationName: 'mail', externalId: 'd', displayName: 'First mail', ...secret });
  await bed.gateway.db('connections').where({ id: fixed.id }).update({ integration_name: 'withdrawn' });
  await bed.api.must(201).post('/api/v1/connections', { ...place, endUserId: 'nia', integrationName: 'cloud', externalId: 'x', ...secret });

  const { text, html } = await read(connectUrl);
  expect([...html.matchAll(/name="entry" value="([^"]*)"/g)].map(([, key]) => key)).toEqual([mail, unconfigured.id, fixed.id, second.id]);
  for (const words of ['Cloud (My files)', 'withdrawn (b)', 'Mail (Second mail)']) expect(text).toContain(words);
  for (const { id } of [unconfigured, fixed, second]) {
    const gone = await submit(connectUrl, { entry: id, change: 'disconnect' });
    expect((await read(`${bed.apiUrl}/connect/${gone.headers.get('location')}`)).text).toContain('The account is disconnected now.');
  }
  expect(await connectionsOf('mia')).toMatchObject([{ displayName: 'First mail' }]);
  expect(await connectionsOf('nia')).toHaveLength(1);
});

test('an account without a configured instance can be reconnected', async () => {
  const { connectUrl } = await aPortal(bed, 'olga');
  const body = { workspaceId: bed.workspaceId, endUserId: 'olga', integrationName: 'cloud', externalId: 'mine', displayName: 'Mine' };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', { ...body, type: 'SECRET_TEXT', secretText: 'old' });
  await submit(connectUrl, { entry: connection.id, method: 'token', 'field.secretText': SECRET });
  expect(await connectionsOf('olga')).toMatchObject([{ id: connection.id, displayName: 'Mine' }]);
  expect(await credentialsOf(bed, connection.id)).toEqual({ type: 'SECRET_TEXT', secretText: SECRET });
});

test('an expired link, a deleted end user’s link and a link with another kind of token open nothing', async () => {
  const [expired, deleted] = [await aPortal(bed, 'jan'), await aPortal(bed, 'kim')];
  const past = { expires_at: bed.gateway.db.raw('now()') };
  await bed.gateway
    .db('connect_tokens')
    .where({ token_hash: bed.gateway.tokens.hash(expired.token) })
    .update(past);
  const { endUsers } = await bed.api.must(200).get(`/api/v1/end-users?workspaceId=${bed.workspaceId}&limit=100`);
  const { id } = endUsers.find(({ externalId }: { externalId: string }) => externalId === 'kim');
  await bed.api.must(200).delete(`/api/v1/end-users/${id}`);
  const session = await aSession(bed);
  for (const link of [expired.connectUrl, deleted.connectUrl, `${bed.apiUrl}/connect/portal?token=${session.token}`]) {
    expect((await read(link)).status).toBe(404);
    expect((await submit(link, mailForm())).status).toBe(404);
  }
  expect(await outcomeOf(bed, session.token)).toMatchObject({ status: 'PENDING' });
});

test('GET and HEAD change nothing; another site cannot submit the form', async () => {
  const { connectUrl } = await aPortal(bed, 'leo');
  await submit(connectUrl, mailForm());
  for (const method of ['GET', 'HEAD'])
    await fetch(`${connectUrl}&entry=${mail}&change=disconnect&method=token&field.secretText=x`, { method });
  expect((await submit(connectUrl, { entry: mail, change: 'disconnect' }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect(await connectionsOf('leo')).toHaveLength(1);
});

test('an attempt of another end user is not shown', async () => {
  const { connectUrl } = await aPortal(bed, 'max');
  const { sessionId } = await aSession(bed, { endUserId: 'nan' });
  await bed.gateway.db('connect_sessions').where({ id: sessionId }).update({ status: 'FAILED', error: 'a reason of nan' });
  for (const attempt of [sessionId, 'nonsense']) {
    const { status, text } = await read(`${connectUrl}&attempt=${attempt}`);
    expect([status, text.includes('a reason of nan')]).toEqual([200, false]);
  }
});
