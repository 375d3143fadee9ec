import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SetupError } from './config.ts';
import type { Db } from './database.ts';

/** The row that a sealed value belongs to; a ciphertext moved elsewhere does not open. */
export interface SealedPlace {
  orgId: string;
  table: string;
  column: string;
  rowId: string;
}

/** Envelope encryption: AES-256-GCM under a data key for each organization, wrapped by a configured key (design: security). */
export interface Vault {
  seal(db: Db, place: SealedPlace, plaintext: string): Promise<Buffer>;
  open(db: Db, place: SealedPlace, sealed: Buffer): Promise<string>;
}

const SAMPLE_KEYS = new Set([Buffer.alloc(32).toString('base64'), Buffer.alloc(32, 1).toString('base64')]);

/** An organization's data key, wrapped by the configured key that `kekId` names. */
export interface DataKey {
  orgId: string;
  kekId: string;
  wrappedKey: Buffer;
}

/** Where wrapped data keys are kept; `insert` answers the key that another process put there first. */
export interface DataKeyStore {
  find(db: Db, orgId: string): Promise<DataKey | undefined>;
  insert(db: Db, key: DataKey): Promise<DataKey>;
}

/** Opens a vault over `id:base64,…`; the first key writes, all read. Throws a SetupError for a missing, short or sample key. */
export function openVault(encryptionKeys: string, store: DataKeyStore): Vault {
  const keys = parseKeys(encryptionKeys);
  const writer = keys.entries().next().value!;
  const dataKeys = new Map<string, Buffer>();

  async function dataKey(db: Db, orgId: string): Promise<Buffer> {
    const known = dataKeys.get(orgId);
    if (known) return known;
    const fresh = randomBytes(32);
    const [kekId, kek] = writer;
    const row =
      (await store.find(db, orgId)) ?? (await store.insert(db, { orgId, kekId, wrappedKey: encrypt(kek, fresh, `data_keys\0${orgId}`) }));
    const unwrapper = keys.get(row.kekId);
    if (!unwrapper) throw new Error(`no encryption key with id ${row.kekId} is configured`);
    const opened = decrypt(unwrapper, row.wrappedKey, `data_keys\0${orgId}`);
    dataKeys.set(orgId, opened);
    return opened;
  }

  return {
    seal: async (db, place, plaintext) => encrypt(await dataKey(db, place.orgId), Buffer.from(plaintext, 'utf8'), associatedData(place)),
    open: async (db, place, sealed) => decrypt(await dataKey(db, place.orgId), sealed, associatedData(place)).toString('utf8'),
  };
}

function parseKeys(text: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const part of text.split(',').map((item) => item.trim())) {
    const [id = '', encoded = ''] = part.split(':');
    const bytes = Buffer.from(encoded, 'base64');
    if (!id || bytes.length !== 32)
      throw new SetupError(
        'ENCRYPTION_KEYS must be id:base64 of exactly 32 bytes, comma-separated. Make one with: openssl rand -base64 32',
      );
    if (SAMPLE_KEYS.has(bytes.toString('base64')))
      throw new SetupError(`ENCRYPTION_KEYS: the key "${id}" is a sample. Make one with: openssl rand -base64 32`);
    keys.set(id, bytes);
  }
  return keys;
}

function associatedData({ orgId, table, column, rowId }: SealedPlace): string {
  return [table, column, orgId, rowId].join('\0');
}

function encrypt(key: Buffer, plaintext: Buffer, aad: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, aad: string): Buffer {
  if (sealed[0] !== 1) throw new Error('unknown format of a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13))
    .setAAD(Buffer.from(aad))
    .setAuthTag(sealed.subarray(13, 29));
  return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]);
}
