import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { decrypt, encrypt } from './aes-gcm.ts';
import { SetupError } from './config.ts';
import type { Db } from './database.ts';

/** The place of a sealed value. A value that is moved to another place cannot be opened. */
export interface SealedPlace {
  orgId: string;
  /** Null for a row of the whole organization. */
  workspaceId: string | null;
  table: string;
  column: string;
  rowId: string;
}

/**
 * Envelope encryption: AES-256-GCM with one data key per organization, wrapped by a configured key.
 */
export interface Vault {
  seal(db: Db, place: SealedPlace, plaintext: string): Promise<Buffer>;
  open(db: Db, place: SealedPlace, sealed: Buffer): Promise<string>;
  /** Ids of the configured keys. The first key encrypts. */
  readonly keyIds: readonly [string, ...string[]];
  /**
   * Wraps a data key with the first configured key. Throws a SetupError if no configured key can
   * unwrap the data key.
   */
  rewrap(key: DataKey): DataKey;
}

/** A data key, wrapped by the configured key `kekId`. */
export interface DataKey {
  orgId: string;
  kekId: string;
  wrappedKey: Buffer;
}

/** If another process has inserted a key first, `insert` returns that key. */
export interface DataKeyStore {
  find(db: Db, orgId: string): Promise<DataKey | undefined>;
  insert(db: Db, key: DataKey): Promise<DataKey>;
}

const KEY_BYTES = 32;
const MAX_DATA_KEYS = 1000;

/**
 * Opens a vault with keys in the form `id:base64,…`. The first key encrypts; every key decrypts.
 * Throws a SetupError.
 */
export function openVault(encryptionKeys: string, store: DataKeyStore): Vault {
  const keys = parseKeys(encryptionKeys);
  const [writerId, writer] = keys.entries().next().value!;
  const dataKeys = new LRUCache<string, Buffer>({ max: MAX_DATA_KEYS });

  const wrap = (orgId: string, dataKey: Buffer): DataKey => ({
    orgId,
    kekId: writerId,
    wrappedKey: sealUnder(writer, dataKey, wrappedData(orgId), WITHOUT_WORKSPACE),
  });

  function unwrap({ orgId, kekId, wrappedKey }: DataKey): Buffer {
    const key = keys.get(kekId);
    if (!key) throw new SetupError(`ENCRYPTION_KEYS lacks the key "${kekId}", which data of the organization ${orgId} is encrypted under.`);
    try {
      return openUnder(key, wrappedKey, wrappedData(orgId));
    } catch {
      throw new SetupError(`ENCRYPTION_KEYS: the key "${kekId}" is not the one that data of the organization ${orgId} is encrypted under.`);
    }
  }

  /**
   * Caches no key that was read in a transaction, because a rollback discards a key that the
   * transaction created.
   */
  async function dataKey(db: Db, orgId: string): Promise<Buffer> {
    const known = dataKeys.get(orgId);
    if (known) return known;
    const found = (await store.find(db, orgId)) ?? (await store.insert(db, wrap(orgId, randomBytes(KEY_BYTES))));
    const opened = unwrap(found);
    if (!db.isTransaction) dataKeys.set(orgId, opened);
    return opened;
  }

  return {
    seal: async (db, place, plaintext) =>
      sealUnder(await dataKey(db, place.orgId), Buffer.from(plaintext, 'utf8'), associatedData(place), WITH_WORKSPACE),
    open: async (db, place, sealed) => {
      const aad = sealed[0] === WITHOUT_WORKSPACE ? formerAssociatedData(place) : associatedData(place);
      return openUnder(await dataKey(db, place.orgId), sealed, aad).toString('utf8');
    },
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
    if (keys.has(id)) throw new SetupError(`ENCRYPTION_KEYS has two keys with the id "${id}". Give each key its own id.`);
    keys.set(id, Buffer.from(encoded, 'base64'));
  }
  return keys;
}

/** `organization` cannot be a workspace id. */
function associatedData({ orgId, workspaceId, table, column, rowId }: SealedPlace): string {
  return [table, column, orgId, workspaceId ?? 'organization', rowId].join('\0');
}

function formerAssociatedData({ orgId, table, column, rowId }: SealedPlace): string {
  return [table, column, orgId, rowId].join('\0');
}

/** Whether an older version sealed the value. Such a value opens, but should be sealed again. */
export function isSealedWithoutWorkspace(sealed: Buffer): boolean {
  return sealed[0] === WITHOUT_WORKSPACE;
}

function wrappedData(orgId: string): string {
  return `data_keys\0${orgId}`;
}

/** The first byte of a sealed value. Data keys and older values have format 1. */
const WITHOUT_WORKSPACE = 1;
const WITH_WORKSPACE = 2;

function sealUnder(key: Buffer, plaintext: Buffer, aad: string, format: number): Buffer {
  return Buffer.concat([Buffer.from([format]), encrypt(key, plaintext, aad)]);
}

function openUnder(key: Buffer, sealed: Buffer, aad: string): Buffer {
  const isKnown = sealed[0] === WITHOUT_WORKSPACE || sealed[0] === WITH_WORKSPACE;
  if (!isKnown) throw new Error('unknown format of a sealed value');
  return decrypt(key, sealed.subarray(1), aad);
}
