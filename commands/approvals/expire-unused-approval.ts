import { type NewActivity, settledActivity } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import { expireUnusedApprovals as expireMany, expireUnusedApproval as expireOne } from '../../store/approval-transitions.ts';
import { hasGoodReceipt } from '../../store/receipts.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Expires an approved approval whose receipt expired unused; undefined for any other approval.
 * Sends no webhook: `approval.expired` is about pending requests (specification 3.1).
 */
export async function expireUnusedApproval({ db }: Pick<Gateway, 'db'>, approvalId: string): Promise<Approval | undefined> {
  // Most approvals need no change, and this read costs fewer round trips than the transaction.
  if (await hasGoodReceipt(db, approvalId)) return undefined;
  return db.transaction(async (tx) => {
    const expired = await expireOne(tx, approvalId);
    if (expired) await recordActivity(tx, expiredActivity(expired));
    return expired;
  });
}

/** Expires at most `limit` approvals whose receipts expired unused. Returns their number. */
export async function expireUnusedApprovals({ db }: Pick<Gateway, 'db'>, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const expired = await expireMany(tx, limit);
    await recordActivity(tx, ...expired.map(expiredActivity));
    return expired.length;
  });
}

function expiredActivity(expired: Approval): NewActivity {
  return { ...settledActivity(expired), actor: { type: 'timeout', id: null } };
}
