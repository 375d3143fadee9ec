import { currentCredentials } from '../../../commands/connections/refresh-connection.ts';
import { findUsableById } from '../../../store/usable-connections.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { anOauthApp, aSession, type ConnectBed, comeBack, cookiesOf, openConnectBed, outcomeOf, submit } from '../connect/connect-bed.ts';
import { writtenBy } from './recorded-acts.ts';

let bed: ApiBed;
let connect: ConnectBed;
beforeAll(async () => {
  [bed, connect] = await Promise.all([openApiBed(), openConnectBed()]);
});
afterAll(async () => {
  await bed?.close();
  await connect?.close();
});

test('refused credentials write one row, and a recovery writes one row', async () => {
  const { workspaceId } = bed;
  const account = { integrationName: 'mail', externalId: 'flaky', type: 'SECRET_TEXT', secretText: 'zq-secret', workspaceId };
  const { connection } = await bed.api.must(201).post('/api/v1/connections', account);
  const send = (to: string) =>
    bed.api.post('/api/v1/actions/execute', {
      ...{ workspaceId, integrationName: 'mail', actionName: 'send', connectionExternalId: 'flaky', input: { to } },
    });
  const shown = async () => (await bed.api.must(200).get(`/api/v1/connections?id=${connection.id}`)).connection;
  const rows = await writtenBy(bed, async () => {
    await send('ann@example.com');
    const refused = await Promise.all([1, 2, 3].map(() => send('nobody who is welcome')));
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await shown()).toMatchObject({ status: 'ERROR', statusReason: 'The third party refused the credentials.' });
    await send('ann@example.com');
    await send('ann@example.com');
    expect(await shown()).toMatchObject({ status: 'ACTIVE', statusReason: null });
  });
  const row = { actorType: 'system', actorId: null, workspaceId: null, integrationName: 'mail' };
  expect(rows).toMatchObject([
    { type: 'connection.failed', ...row, details: { connectionId: connection.id, reason: 'The third party refused the credentials.' } },
    { type: 'connection.recovered', ...row, details: { connectionId: connection.id } },
  ]);
  expect(JSON.stringify(rows)).not.toContain('zq-secret');
});

test("the activity row of a revoked grant has the third party's reason", async () => {
  await anOauthApp(connect);
  const session = await aSession(connect, { integrationName: 'cloud', externalId: 'gone' });
  const sent = await submit(session.connectUrl, { method: 'oauth' });
  await comeBack(await connect.provider.consent(sent.headers.get('location')!), cookiesOf(sent));
  const { connectionId } = await outcomeOf(connect, session.token);
  const { db } = connect.gateway;
  await db('connections')
    .where({ id: connectionId })
    .update({ expires_at: db.raw("now() - interval '5 seconds'") });
  const { orgId, workspaceId } = connect;
  const place = { orgId, workspaceId, integrationName: 'cloud', endUserId: null, workspaceIntegrationId: null };
  const use = async () => currentCredentials(connect.gateway, (await findUsableById(db, place, connectionId))!);
  connect.provider.answerNext(400, JSON.stringify({ error: 'invalid_grant', error_description: 'Token has been revoked' }));
  const rows = await writtenBy(connect, () => Promise.allSettled([use(), use(), use()]));
  expect(rows).toMatchObject([
    {
      ...{ type: 'connection.failed', actorType: 'system', integrationName: 'cloud' },
      details: { connectionId, externalId: 'gone', reason: expect.stringContaining('Token has been revoked') },
    },
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/zq-(access|refresh|client)/);
});
