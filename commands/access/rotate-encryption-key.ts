import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import type { Vault } from '../../infra/vault.ts';
import { countDataKeys, listDataKeysNotUnder, replaceDataKey } from '../../store/data-keys.ts';
import { listSealedWithoutWorkspace, replaceSealedValue } from '../../store/sealed-values.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

export interface Rotation {
  /** Id of the first encryption key. */
  keyId: string;
  /** Number of rewrapped data keys. */
  rotated: number;
  /** Number of data keys that the first encryption key had already wrapped. */
  unchanged: number;
  /** Number of secrets that this rotation bound to their workspace. */
  resealed: number;
}

const BATCH = 100;

/**
 * Wraps each data key with the first configured encryption key (docs/decisions/0011), and binds
 * older secrets to their workspace. An interrupted rotation can be started again. Throws
 * SetupError, before any change, if a needed encryption key is missing.
 */
export async function rotateEncryptionKey(db: Db, vault: Vault): Promise<Rotation> {
  const [keyId] = vault.keyIds;
  const inUse = await countDataKeys(db);
  const missing = [...inUse.keys()].filter((id) => !vault.keyIds.includes(id));
  if (missing.length > 0) {
    const counts = missing.map((id) => `"${id}" (${inUse.get(id)} of the organizations)`).join(', ');
    throw new SetupError(`ENCRYPTION_KEYS lacks a key under which data is still encrypted: ${counts}. Nothing was changed.`);
  }
  let rotated = 0;
  for (;;) {
    const batch = await listDataKeysNotUnder(db, keyId, BATCH);
    if (batch.length === 0) break;
    for (const dataKey of batch) if (await replaceDataKey(db, dataKey, vault.rewrap(dataKey))) rotated += 1;
  }
  return { keyId, rotated, unchanged: inUse.get(keyId) ?? 0, resealed: await bindToWorkspaces(db, vault) };
}

/**
 * Binds older secrets to their workspace, and returns their number. The loop ends, because a secret
 * that changes meanwhile is stored bound.
 */
async function bindToWorkspaces(db: Db, vault: Vault): Promise<number> {
  let resealed = 0;
  for (;;) {
    const batch = await listSealedWithoutWorkspace(db, BATCH);
    if (batch.length === 0) return resealed;
    for (const value of batch) {
      const bound = await vault.seal(db, value.place, await vault.open(db, value.place, value.sealed));
      if (await replaceSealedValue(db, value, bound)) resealed += 1;
    }
  }
}

/**
 * Rewraps the data key of the caller's organization. Returns false if nothing was rewrapped. Throws
 * VALIDATION_ERROR if a needed encryption key is missing.
 */
export async function rotateOwnDataKey({ db, vault }: Pick<Gateway, 'db' | 'vault'>, by: KeyPrincipal): Promise<boolean> {
  const { orgId } = by;
  const [keyId] = vault.keyIds;
  return db.transaction(async (tx) => {
    const [dataKey] = await listDataKeysNotUnder(tx, keyId, 1, orgId);
    if (!dataKey) return false;
    if (!vault.keyIds.includes(dataKey.kekId))
      throw new GatewayError('VALIDATION_ERROR', `ENCRYPTION_KEYS lacks the key "${dataKey.kekId}". Nothing was changed.`);
    const isRotated = await replaceDataKey(tx, dataKey, vault.rewrap(dataKey));
    if (isRotated) {
      const details = { keyId, former: dataKey.kekId };
      await recordActivity(tx, { orgId, workspaceId: null, type: 'encryption_key.rotated', actor: actorOf(by), details });
    }
    return isRotated;
  });
}
