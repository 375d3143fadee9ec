import type { Db } from '../infra/database.ts';
import type { PublicReceiptKey } from '../infra/receipt-keys.ts';

export interface KnownReceiptKey {
  kid: string;
  revokedAt: Date | null;
}

/** Registers a public key, unless the key is registered or revoked. */
export async function insertReceiptKey(db: Db, key: PublicReceiptKey): Promise<void> {
  await db('receipt_keys')
    .insert({ kid: key.kid, public_jwk: JSON.stringify(key) })
    .onConflict('kid')
    .ignore();
}

/** Returns the public keys that verify receipts, oldest first. */
export async function listPublicReceiptKeys(db: Db): Promise<PublicReceiptKey[]> {
  return db('receipt_keys').whereNull('revoked_at').orderBy(['created_at', 'kid']).pluck('public_jwk');
}

/** Returns all registered keys, including revoked keys, oldest first. */
export async function listReceiptKeys(db: Db): Promise<KnownReceiptKey[]> {
  return db('receipt_keys').select('kid', 'revoked_at as revokedAt').orderBy(['created_at', 'kid']);
}

/**
 * Returns the time at which a key was registered; undefined if the key is not registered.
 */
export async function findReceiptKeyAge(db: Db, kid: string): Promise<Date | undefined> {
  return (await db('receipt_keys').where({ kid }).first({ createdAt: 'created_at' }))?.createdAt;
}

/** Revokes a key permanently, so that its receipts can no longer be verified. */
export async function revokeReceiptKey(db: Db, kid: string): Promise<void> {
  await db('receipt_keys').where({ kid }).whereNull('revoked_at').update({ revoked_at: db.fn.now() });
}
