import { SetupError } from '../infra/config.ts';
import type { Db } from '../infra/database.ts';
import type { Vault } from '../infra/vault.ts';
import { countDataKeys, listDataKeysNotUnder, replaceDataKey } from '../store/data-keys.ts';

export interface Rotation {
  /** Id of the key that everything is encrypted under now. */
  keyId: string;
  /** Data keys wrapped anew now. */
  rotated: number;
  /** Data keys that the key wrapped before. */
  unchanged: number;
}

const BATCH = 100;

/**
 * Brings everything under the first encryption key by wrapping each organization's data key anew (docs/decisions/0011), one by one, each
 * for good: a rotation that was interrupted is simply begun again, and running processes that know both keys notice nothing. Throws a
 * SetupError before the first change when a key that is in use is not configured.
 */
export async function rotateEncryptionKey(db: Db, vault: Vault): Promise<Rotation> {
  const [keyId] = vault.keyIds;
  const inUse = await countDataKeys(db);
  const missing = [...inUse.keys()].filter((id) => !vault.keyIds.includes(id));
  if (missing.length > 0) {
    const counts = missing.map((id) => `"${id}" (${inUse.get(id)} of the organizations)`).join(', ');
    throw new SetupError(`ENCRYPTION_KEYS lacks a key that data is still encrypted under: ${counts}. Nothing was changed.`);
  }
  let rotated = 0;
  for (;;) {
    const batch = await listDataKeysNotUnder(db, keyId, BATCH);
    if (batch.length === 0) return { keyId, rotated, unchanged: inUse.get(keyId) ?? 0 };
    for (const dataKey of batch) if (await replaceDataKey(db, dataKey, vault.rewrap(dataKey))) rotated += 1;
  }
}
