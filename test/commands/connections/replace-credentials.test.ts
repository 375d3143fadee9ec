import { openCredentials } from '../../../commands/connections/connection-credentials.ts';
import { createConnection } from '../../../commands/connections/create-connection.ts';
import { replaceCredentials } from '../../../commands/connections/replace-credentials.ts';
import { findConnection, markConnectionAccepted, markConnectionRefused } from '../../../store/connections.ts';
import type { ApiBed } from '../../api/api-bed.ts';
import { openAccountsBed } from '../../api/connections/accounts-bed.ts';

const BY = { type: 'system', id: null } as const;

let bed: ApiBed;
beforeAll(async () => {
  bed = await openAccountsBed();
});
afterAll(() => bed.close());

const create = (externalId: string, expiresAt: Date | null = null) =>
  createConnection(bed.gateway, {
    by: BY,
    orgId: bed.orgId,
    workspaceId: null,
    endUserExternalId: null,
    scope: 'ORGANIZATION',
    integrationName: 'chat',
    externalId,
    displayName: externalId,
    credentials: { type: 'OAUTH2', accessToken: 'first', data: {} },
    expiresAt,
  });

const statusOf = async (id: string) => (await findConnection(bed.gateway.db, bed.orgId, id))!.status;

test('an expired connection is active again with new credentials, under the same id', async () => {
  const ended = await create('ended', new Date(0));
  expect(ended.status).toBe('ERROR');
  const { orgId } = bed;
  const credentials = { type: 'OAUTH2', accessToken: 'second', refreshToken: 'r', data: {} } as const;
  const replaced = await replaceCredentials(bed.gateway, { by: BY, orgId, id: ended.id, credentials, expiresAt: new Date(0) });
  expect(replaced).toEqual({ ...ended, status: 'ACTIVE', updatedAt: replaced.updatedAt });
  const { sealed_credentials: sealedCredentials } = await bed.gateway.db('connections').where({ id: ended.id }).first();
  expect(await openCredentials(bed.gateway, { ...ended, orgId, sealedCredentials })).toMatchObject({ accessToken: 'second' });
});

test('invalid credentials, and credentials for an unknown connection, are refused and change nothing', async () => {
  const { id } = await create('kept');
  const { orgId } = bed;
  const before = await bed.gateway.db('connections').where({ id }).first();
  const replace = (more: object) =>
    replaceCredentials(bed.gateway, { by: BY, orgId, id, credentials: { type: 'SECRET_TEXT', secretText: 'x' }, ...more });
  await expect(replace({})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(replace({ id: '00000000-0000-4000-8000-000000000000' })).rejects.toMatchObject({ code: 'CONNECTION_NOT_FOUND' });
  expect(await bed.gateway.db('connections').where({ id }).first()).toEqual(before);
  expect(await replace({ authMethodKey: 'token' })).toMatchObject({ type: 'SECRET_TEXT', authMethodKey: 'token' });
});

test('a connection is in ERROR while the third party refuses it; a revoked connection stays revoked', async () => {
  const { id } = await create('refused');
  const { db } = bed.gateway;
  await markConnectionRefused(db, id, 'Refused', []);
  expect(await statusOf(id)).toBe('ERROR');
  await markConnectionAccepted(db, id, []);
  expect(await statusOf(id)).toBe('ACTIVE');
  await db('connections').where({ id }).update({ status: 'REVOKED' });
  await markConnectionRefused(db, id, 'Refused', []);
  await markConnectionAccepted(db, id, []);
  expect(await statusOf(id)).toBe('REVOKED');
});
