import type { Db } from '../infra/database.ts';

/** An operator code that was used. */
export interface SpentCode {
  id: string;
  approvalId: string;
  /** Epoch seconds. */
  expiresAt: number;
}

/** Marks a code as used. Returns `spent` for its first use before its expiry. */
export async function spendOperatorCode(db: Db, { id, approvalId, expiresAt }: SpentCode): Promise<'spent' | 'used' | 'expired'> {
  const [row] = await db('spent_operator_codes')
    .insert({ id, approval_id: approvalId, expires_at: db.raw('to_timestamp(?)', [expiresAt]) })
    .onConflict('id')
    .ignore()
    .returning(db.raw('expires_at > now() as "isInTime"'));
  if (!row) return 'used';
  return row.isInTime ? 'spent' : 'expired';
}

/** Returns the time in epoch seconds, by the database clock. */
export async function findEpochSeconds(db: Db): Promise<number> {
  const row = await db.first(db.raw('floor(extract(epoch from now()))::float8 as seconds'));
  return row.seconds;
}

/**
 * Deletes codes that expired more than a day ago. An expired code is refused even if it has no
 * record.
 */
export async function deleteOldOperatorCodes(db: Db): Promise<void> {
  await db('spent_operator_codes').whereRaw("expires_at < now() - interval '1 day'").delete();
}
