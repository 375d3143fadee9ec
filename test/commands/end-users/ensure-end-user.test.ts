import { ensureEndUser } from '../../../commands/end-users/ensure-end-user.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

const keyOf = (externalId: string) => ({ orgId: bed.orgId, workspaceId: bed.workspaceId, externalId });

test('a new externalId creates an end user; later calls return the same one unchanged', async () => {
  const made = await ensureEndUser(bed.gateway.db, { type: 'system', id: null }, keyOf('new'));
  expect(made).toMatchObject({ ...keyOf('new'), displayName: null, email: null, metadata: {}, type: 'external' });
  expect(await ensureEndUser(bed.gateway.db, { type: 'system', id: null }, keyOf('new'))).toEqual(made);
});

test('twenty concurrent transactions create one end user', async () => {
  const ensured = await Promise.all(
    Array.from({ length: 20 }, () => bed.gateway.db.transaction((tx) => ensureEndUser(tx, { type: 'system', id: null }, keyOf('wanted')))),
  );
  expect(new Set(ensured.map(({ id }) => id)).size).toBe(1);
  expect(await bed.gateway.db('end_users').where({ external_id: 'wanted' })).toHaveLength(1);
});

test('a failed transaction leaves no end user', async () => {
  const failing = bed.gateway.db.transaction(async (tx) => {
    await ensureEndUser(tx, { type: 'system', id: null }, keyOf('undone'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await bed.gateway.db('end_users').where({ external_id: 'undone' })).toEqual([]);
});

test('an unknown workspace, or a workspace of another organization, is NOT_FOUND', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const place of [{ workspaceId: unknown }, { orgId: unknown }]) {
    await expect(ensureEndUser(bed.gateway.db, { type: 'system', id: null }, { ...keyOf('x'), ...place })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  }
});
