import type { DataKey, DataKeyStore } from '../infra/vault.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<DataKey>('orgId', 'kekId', 'wrappedKey');

/** The table `data_keys`. */
export const dataKeys: DataKeyStore = {
  find: (db, orgId) => db('data_keys').select(COLUMNS).where({ org_id: orgId }).first(),
  insert: async (db, key) => {
    await db('data_keys').insert(toRow(key)).onConflict('org_id').ignore();
    return (await dataKeys.find(db, key.orgId))!;
  },
};
