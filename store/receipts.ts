import type { Receipt } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

const COLUMNS = columns<Receipt>('id', 'orgId', 'approvalId', 'inputHash', 'expiresAt', 'createdAt');

/** Inserts the receipt of an approval; it is good for `lifetimeSeconds` from now by the database clock. */
export async function insertReceipt(
  db: Db,
  receipt: Pick<Receipt, 'orgId' | 'approvalId' | 'inputHash'> & { lifetimeSeconds: number },
): Promise<Receipt> {
  const [row] = await db('receipts')
    .insert({
      org_id: receipt.orgId,
      approval_id: receipt.approvalId,
      input_hash: receipt.inputHash,
      expires_at: db.raw("now() + ? * interval '1 second'", [receipt.lifetimeSeconds]),
    })
    .returning(COLUMNS);
  return row;
}

export async function findReceipt(db: Db, approvalId: string): Promise<Receipt | undefined> {
  return db('receipts').select(COLUMNS).where({ approval_id: approvalId }).first();
}

export async function listReceipts(db: Db, approvalIds: string[]): Promise<Receipt[]> {
  return db('receipts').select(COLUMNS).whereIn('approval_id', approvalIds);
}
