import { settledActivity } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import { timeOutApproval as endOverdue } from '../store/approval-moves.ts';
import { insertSettled } from '../store/outbox.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';
import { tellSettled } from './tell-orchestrator.ts';

/** Ends a pending approval whose time is up by the database clock, by its defaultOnTimeout; undefined when there was nothing to end. */
export async function timeOutApproval(gateway: Gateway, approvalId: string): Promise<Approval | undefined> {
  const ended = await gateway.db.transaction(async (tx) => {
    const approval = await endOverdue(tx, approvalId);
    if (!approval) return undefined;
    await announceApproval(gateway, tx, 'approval.expired', approval);
    await insertSettled(tx, approval);
    await recordActivity(tx, settledActivity(approval));
    return approval;
  });
  if (ended) await tellSettled(gateway, ended);
  return ended;
}
