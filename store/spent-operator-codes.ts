import type { Db } from '../infra/database.ts';

/** A used operator code. */
export interface SpentCode {
  id: string;
  approvalId: string;
  /** Epoch seconds. */
  expiresAt: number;
}

/**
 * Marks a code as used. `spent`: first use before its expiry by the database clock. Else `used` or
 * `expired`.
 */
export async function spendOperatorCode(db: Db, { id, approvalId, expiresAt }: SpentCode): Promise<'spent' | 'used' | 'expired'> {
  const [row] = await db('spent_operator_codes')
    .insert({ id, approval_id: approvalId, expires_at: db.raw('to_timestamp(?)', [expiresAt]) })
    .onConflict('id')
    .ignore()
    .returning(db.raw('expires_at > now() as "isInTime"'));
  if (!row) return 'used';
  return row.isInTime ? 'spent' : 'expired';
}

/** Epoch seconds, by the database clock. */
export async function findEpochSeconds(db: Db): Promise<number> {
  const row = await db.first(db.raw('floor(extract(epoch from now()))::float8 as seconds'));
  return row.seconds;
}

/** Deletes codes that expired a day ago: they are refused as expired. */
export async function deleteOldOperatorCodes(db: Db): Promise<void> {
  await db('spent_operator_codes').whereRaw("expires_at < now() - interval '1 day'").delete();
}
