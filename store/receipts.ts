import type { Receipt } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns, columnsSql } from './columns.ts';

const NAMES = ['id', 'orgId', 'approvalId', 'inputHash', 'expiresAt', 'createdAt'] as const;
const COLUMNS = columns<Receipt>(...NAMES);

/** A receipt to insert. */
export interface NewReceipt extends Pick<Receipt, 'id' | 'orgId' | 'approvalId' | 'inputHash'> {
  lifetimeSeconds: number;
  /** Thumbprint of the signing key. */
  kid: string;
  jws: string;
}

/**
 * Inserts a receipt that is valid for `lifetimeSeconds`, and returns it. Returns undefined if the
 * signing key is unknown or revoked.
 */
export async function insertReceipt(db: Db, receipt: NewReceipt): Promise<Receipt | undefined> {
  const { rows } = await db
    .raw(
      `insert into receipts (id, org_id, approval_id, input_hash, expires_at, jws, kid)
     select cast(:id as uuid), cast(:orgId as uuid), :approvalId, :inputHash, now() + :lifetimeSeconds * interval '1 second', :jws, kid
       from receipt_keys where kid = :kid and revoked_at is null
     returning ${columnsSql<Receipt>('receipts', ...NAMES)}`,
      { ...receipt },
    )
    .options({ name: 'insert-receipt' });
  return rows[0];
}

/** A receipt with its signed text. */
export interface SignedReceipt extends Receipt {
  /** Null if the receipt was made before receipts were signed. */
  jws: string | null;
}

export async function findReceipt(db: Db, orgId: string, approvalId: string): Promise<SignedReceipt | undefined> {
  return db('receipts')
    .select([...COLUMNS, 'jws'])
    .where({ org_id: orgId, approval_id: approvalId })
    .first();
}

/** Returns true if the receipt of an approval is valid now, by the database clock. */
export async function hasGoodReceipt(db: Db, approvalId: string): Promise<boolean> {
  const good = await db('receipts')
    .select('id')
    .where({ approval_id: approvalId })
    .andWhereRaw('expires_at > now()')
    .first()
    .options({ name: 'good-receipt' });
  return good !== undefined;
}
