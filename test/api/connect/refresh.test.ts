import { currentCredentials, refreshDueConnections } from '../../../commands/connections/refresh-connection.ts';
import { findUsableById } from '../../../store/usable-connections.ts';
import {
  anOauthApp,
  aSession,
  type ConnectBed,
  comeBack,
  cookiesOf,
  credentialsOf,
  openConnectBed,
  outcomeOf,
  submit,
} from './connect-bed.ts';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
  await anOauthApp(bed);
}, 120_000);
afterAll(() => bed?.close());

async function anAccount(endsInSeconds: number) {
  const session = await aSession(bed, { integrationName: 'cloud', externalId: `cloud-${Math.random()}` });
  const sent = await submit(session.connectUrl, { method: 'oauth' });
  await comeBack(await bed.provider.consent(sent.headers.get('location')!), cookiesOf(sent));
  const { connectionId } = await outcomeOf(bed, session.token);
  const { db } = bed.gateway;
  const endsIn = (seconds: number) =>
    db('connections')
      .where({ id: connectionId })
      .update({ expires_at: db.raw(`now() + make_interval(secs => ?)`, [seconds]) });
  await endsIn(endsInSeconds);
  const before = (await credentialsOf(bed, connectionId)) as { accessToken: string; refreshToken: string };
  const usable = async () => {
    const { orgId, workspaceId } = bed;
    return (await findUsableById(
      db,
      { orgId, workspaceId, integrationName: 'cloud', endUserId: null, workspaceIntegrationId: null },
      connectionId,
    ))!;
  };
  const use = async () => (await currentCredentials(bed.gateway, await usable())) as { accessToken: string };
  const shown = async () => (await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection;
  return { connectionId, before, use, usable, shown, endsIn };
}

const refreshes = () => bed.provider.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token');

test('a valid access token is used without a refresh', async () => {
  const { use, before } = await anAccount(3600);
  expect((await use()).accessToken).toBe(before.accessToken);
  expect(refreshes()).toEqual([]);
});

test('an expired access token is refreshed once for concurrent calls, and the new tokens are stored', async () => {
  const { use, before, connectionId, usable } = await anAccount(-5);
  const count = refreshes().length;
  const version = (await usable()).credentialsVersion;
  const tokens = await Promise.all(Array.from({ length: 12 }, use));
  const kept = (await credentialsOf(bed, connectionId)) as { accessToken: string; refreshToken: string };
  expect(new Set(tokens.map(({ accessToken }) => accessToken))).toEqual(new Set([kept.accessToken]));
  expect(kept.accessToken).not.toBe(before.accessToken);
  expect(kept.refreshToken).not.toBe(before.refreshToken);
  expect(refreshes().length).toBe(count + 1);
  // The account is unchanged, so earlier approvals for it stay valid.
  expect((await usable()).credentialsVersion).toBe(version);
});

test('a revoked grant sets ERROR, and calls get CONNECTION_REQUIRED; reconnecting sets ACTIVE', async () => {
  const { use, shown, connectionId } = await anAccount(-5);
  bed.provider.answerNext(400, JSON.stringify({ error: 'invalid_grant', error_description: 'Token has been revoked' }));
  await expect(use()).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED', message: expect.stringContaining('Token has been revoked') });
  expect(await shown()).toMatchObject({ status: 'ERROR', statusReason: expect.stringContaining('Token has been revoked') });
  const { externalId, displayName } = await shown();
  const execute = {
    workspaceId: bed.workspaceId,
    integrationName: 'cloud',
    actionName: 'read',
    input: {},
    connectionExternalId: externalId,
  };
  const refused = await bed.api.post('/api/v1/actions/execute', execute);
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([400, 'CONNECTION_REQUIRED', expect.stringContaining('revoked')]);
  const again = await aSession(bed, { integrationName: 'cloud', externalId, connectionName: displayName });
  await submit(again.connectUrl, { method: 'token', 'field.secretText': 'zq-by-hand' });
  expect(await shown()).toMatchObject({ id: connectionId, status: 'ACTIVE', statusReason: null });
});

test('an outage of the third party loses no credentials', async () => {
  const { use, before, shown } = await anAccount(-5);
  bed.provider.answerNext(503, 'away', 'text/plain');
  await expect(use()).rejects.toMatchObject({ code: 'ACTION_FAILED' });
  expect((await shown()).status).toBe('ACTIVE');
  expect((await use()).accessToken).not.toBe(before.accessToken);
});

test('a valid access token is used even if its refresh fails, and refreshed later', async () => {
  const { use, before, shown, endsIn } = await anAccount(3600);
  bed.provider.answerNext(503, 'away', 'text/plain');
  await endsIn(9.5);
  expect((await use()).accessToken).toBe(before.accessToken);
  expect((await shown()).status).toBe('ACTIVE');
  expect((await use()).accessToken).not.toBe(before.accessToken);
});

test('an access token that expires within ninety seconds is refreshed even without a call', async () => {
  const [soon, later] = [await anAccount(80), await anAccount(600)];
  await refreshDueConnections(bed.gateway);
  const kept = async ({ connectionId }: { connectionId: string }) => (await credentialsOf(bed, connectionId)) as { accessToken: string };
  expect((await kept(soon)).accessToken).not.toBe(soon.before.accessToken);
  expect((await kept(later)).accessToken).toBe(later.before.accessToken);
});

test('if the refresh answer has no refresh token, the old refresh token is kept', async () => {
  const { use, before, connectionId } = await anAccount(-5);
  bed.provider.answerNext(200, JSON.stringify({ access_token: 'zq-second', expires_in: 60 }));
  expect((await use()).accessToken).toBe('zq-second');
  expect(await credentialsOf(bed, connectionId)).toMatchObject({ refreshToken: before.refreshToken, data: { account: 'ada@example.com' } });
});
