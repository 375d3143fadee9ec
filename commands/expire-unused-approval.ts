import { type NewActivity, settledActivity } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import { expireUnusedApprovals as expireMany, expireUnusedApproval as expireOne } from '../store/approval-moves.ts';
import { hasGoodReceipt } from '../store/receipts.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

/**
 * Ends an approval whose receipt ran out before it was used; undefined when its receipt is good, or it was used. Nobody is told: the event
 * `approval.expired` is about pending requests (specification 3.1).
 */
export async function expireUnusedApproval({ db }: Pick<Gateway, 'db'>, approvalId: string): Promise<Approval | undefined> {
  // Nearly always: a look is a third of the round trips of the transaction.
  if (await hasGoodReceipt(db, approvalId)) return undefined;
  return db.transaction(async (tx) => {
    const expired = await expireOne(tx, approvalId);
    if (expired) await recordActivity(tx, ranOut(expired));
    return expired;
  });
}

/** Ends so at most `limit` approvals, after which nobody asked any more; answers how many there were. */
export async function expireUnusedApprovals({ db }: Pick<Gateway, 'db'>, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const expired = await expireMany(tx, limit);
    await recordActivity(tx, ...expired.map(ranOut));
    return expired.length;
  });
}

function ranOut(expired: Approval): NewActivity {
  return { ...settledActivity(expired), actor: { type: 'timeout', id: null } };
}
