import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
  /** The configured keys by id: the first one writes. */
  readonly keyIds: readonly [string, ...string[]];
  /** The same data key, wrapped by the first configured key. Throws a SetupError when the key that wraps it now is missing or another one. */
  rewrap(key: DataKey): DataKey;
}

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

const KEY_BYTES = 32;
const MAX_DATA_KEYS = 1000;

/** Opens a vault over `id:base64,…`; the first key writes, all read. Throws a SetupError for a missing, short, repeated or sample key. */
export function openVault(encryptionKeys: string, store: DataKeyStore): Vault {
  const keys = parseKeys(encryptionKeys);
  const [writerId, writer] = keys.entries().next().value!;
  const dataKeys = new LRUCache<string, Buffer>({ max: MAX_DATA_KEYS });

  const wrap = (orgId: string, dataKey: Buffer): DataKey => ({
    orgId,
    kekId: writerId,
    wrappedKey: encrypt(writer, dataKey, wrappedData(orgId)),
  });

  function unwrap({ orgId, kekId, wrappedKey }: DataKey): Buffer {
    const key = keys.get(kekId);
    if (!key) throw new SetupError(`ENCRYPTION_KEYS lacks the key "${kekId}", which data of the organization ${orgId} is encrypted under.`);
    try {
      return decrypt(key, wrappedKey, wrappedData(orgId));
    } catch {
      throw new SetupError(`ENCRYPTION_KEYS: the key "${kekId}" is not the one that data of the organization ${orgId} is encrypted under.`);
    }
  }

  /** What a transaction reads may never be committed, so that only a key found outside of one is kept in memory. */
  async function dataKey(db: Db, orgId: string): Promise<Buffer> {
    const known = dataKeys.get(orgId);
    if (known) return known;
    const found = (await store.find(db, orgId)) ?? (await store.insert(db, wrap(orgId, randomBytes(KEY_BYTES))));
    const opened = unwrap(found);
    if (!db.isTransaction) dataKeys.set(orgId, opened);
    return opened;
  }

  return {
    seal: async (db, place, plaintext) => encrypt(await dataKey(db, place.orgId), Buffer.from(plaintext, 'utf8'), associatedData(place)),
    open: async (db, place, sealed) => decrypt(await dataKey(db, place.orgId), sealed, associatedData(place)).toString('utf8'),
    keyIds: [writerId, ...[...keys.keys()].slice(1)],
    rewrap: (key) => wrap(key.orgId, unwrap(key)),
  };
}

const KEY = /^([^:\s]+):([A-Za-z0-9+/]{43})=?$/;
const SAMPLES = new Set([0, 1].map((byte) => Buffer.alloc(KEY_BYTES, byte).toString('base64').replace('=', '')));

function parseKeys(text: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const part of text.split(',').map((item) => item.trim())) {
    const [, id, encoded] = KEY.exec(part) ?? [];
    if (!id || !encoded)
      throw new SetupError(
        `ENCRYPTION_KEYS must be id:base64 of exactly ${KEY_BYTES} bytes, comma-separated. Make one with: openssl rand -base64 ${KEY_BYTES}`,
      );
    if (SAMPLES.has(encoded))
      throw new SetupError(`ENCRYPTION_KEYS: the key "${id}" is a sample. Make one with: openssl rand -base64 ${KEY_BYTES}`);
    if (keys.has(id)) throw new SetupError(`ENCRYPTION_KEYS has two keys with the id "${id}". Give each key an id of its own.`);
    keys.set(id, Buffer.from(encoded, 'base64'));
  }
  return keys;
}

function associatedData({ orgId, table, column, rowId }: SealedPlace): string {
  return [table, column, orgId, rowId].join('\0');
}

function wrappedData(orgId: string): string {
  return `data_keys\0${orgId}`;
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Format, nonce, tag, then the text. */
function encrypt(key: Buffer, plaintext: Buffer, aad: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, aad: string): Buffer {
  if (sealed[0] !== FORMAT || sealed.length < HEAD_BYTES) throw new Error('unknown format of a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(aad))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]);
}
