import type { Db } from '../infra/database.ts';
import type { DataKey, DataKeyStore } from '../infra/vault.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<DataKey>('orgId', 'kekId', 'wrappedKey');

/** Reads and writes the table `data_keys`. */
export const dataKeys: DataKeyStore = {
  find: (db, orgId) => db('data_keys').select(COLUMNS).where({ org_id: orgId }).first(),
  insert: async (db, key) => {
    await db('data_keys').insert(toRow(key)).onConflict('org_id').ignore();
    return (await dataKeys.find(db, key.orgId))!;
  },
};

/** Returns the number of data keys that each wrapping key wraps, by the id of the wrapping key. */
export async function countDataKeys(db: Db): Promise<Map<string, number>> {
  const rows: { kekId: string; total: number }[] = await db('data_keys')
    .select('kek_id as kekId', db.raw('count(*)::int as total'))
    .groupBy('kek_id')
    .orderBy('kek_id');
  return new Map(rows.map(({ kekId, total }) => [kekId, total]));
}

/** Returns one data key for each wrapping key in use. */
export async function listDataKeyOfEachWrapper(db: Db): Promise<DataKey[]> {
  return db('data_keys').distinctOn('kek_id').select(COLUMNS).orderBy(['kek_id', 'org_id']);
}

/**
 * Returns at most `limit` data keys that a key other than `kekId` wraps, ordered by organization.
 * With `orgId`, only the data key of that organization.
 */
export async function listDataKeysNotUnder(db: Db, kekId: string, limit: number, orgId?: string): Promise<DataKey[]> {
  const others = db('data_keys').select(COLUMNS).whereNot({ kek_id: kekId }).orderBy('org_id').limit(limit);
  return orgId === undefined ? others : others.where({ org_id: orgId });
}

/** Returns the creation time of an organization's data key, and the id of the key that wraps it. */
export async function findDataKeyAge(db: Db, orgId: string): Promise<{ kekId: string; createdAt: Date } | undefined> {
  return db('data_keys').where({ org_id: orgId }).first({ kekId: 'kek_id', createdAt: 'created_at' });
}

/**
 * Replaces a data key with its rewrapped form. Returns false if it has been rewrapped or deleted in
 * the meantime.
 */
export async function replaceDataKey(db: Db, former: DataKey, { kekId, wrappedKey }: DataKey): Promise<boolean> {
  const replaced = await db('data_keys')
    .where({ org_id: former.orgId, kek_id: former.kekId, wrapped_key: former.wrappedKey })
    .update({ kek_id: kekId, wrapped_key: wrappedKey });
  return replaced > 0;
}
