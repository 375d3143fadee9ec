import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Db } from '../../infra/database.ts';
import type { SealedPlace } from '../../infra/vault.ts';
import { dataKeys } from '../../store/data-keys.ts';

/**
 * Encrypts a text in format 1 of the vault, which names no workspace. The organization must have a
 * data key.
 */
export async function sealedBefore(db: Db, encryptionKeys: string, place: SealedPlace, text: string): Promise<Buffer> {
  const { kekId, wrappedKey } = (await dataKeys.find(db, place.orgId))!;
  const key = new Map(encryptionKeys.split(',').map((part) => part.split(':') as [string, string])).get(kekId)!;
  const unwrap = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), wrappedKey.subarray(1, 13))
    .setAAD(Buffer.from(`data_keys\0${place.orgId}`))
    .setAuthTag(wrappedKey.subarray(13, 29));
  const dataKey = Buffer.concat([unwrap.update(wrappedKey.subarray(29)), unwrap.final()]);
  const nonce = randomBytes(12);
  const aad = [place.table, place.column, place.orgId, place.rowId].join('\0');
  const cipher = createCipheriv('aes-256-gcm', dataKey, nonce).setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body]);
}
