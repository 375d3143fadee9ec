import { settledActivity } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import { timeOutApproval as endOverdue } from '../../store/approval-transitions.ts';
import { findTimedApproval, type TimedApproval } from '../../store/approvals.ts';
import { insertSettled } from '../../store/outbox.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled } from '../outbox/notify-orchestrator.ts';
import { announceApproval } from './announce-approval.ts';

/**
 * Ends an overdue approval as its `defaultOnTimeout` says; undefined if the approval is not pending
 * or not overdue.
 */
export async function timeOutApproval(gateway: Gateway, approvalId: string): Promise<Approval | undefined> {
  const ended = await gateway.db.transaction(async (tx) => {
    const approval = await endOverdue(tx, approvalId);
    if (!approval) return undefined;
    await announceApproval(gateway, tx, 'approval.expired', approval);
    await insertSettled(tx, approval);
    await recordActivity(tx, settledActivity(approval));
    return approval;
  });
  if (ended) await signalSettled(gateway, ended);
  return ended;
}

/** Reads an approval, and ends it first if it is overdue. */
export async function endIfOverdue(gateway: Gateway, approvalId: string): Promise<TimedApproval | undefined> {
  const found = await findTimedApproval(gateway.db, approvalId);
  if (found?.approval.status !== 'pending' || found.timeLeftMs > 0) return found;
  await timeOutApproval(gateway, approvalId);
  return findTimedApproval(gateway.db, approvalId);
}
