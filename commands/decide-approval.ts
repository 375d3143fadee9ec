import { settledActivity } from '../domain/activity.ts';
import { type Actor, type Approval, type Decision, OUTCOME, type Receipt, settledEvent } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import { moveApproval } from '../store/approval-moves.ts';
import { findApprovalById } from '../store/approvals.ts';
import { insertSettled } from '../store/outbox.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';
import { signReceipt } from './sign-receipt.ts';
import { tellSettled, tellSettledSoon } from './tell-orchestrator.ts';

export interface DecideApproval {
  approvalId: string;
  decision: Decision;
  /** Who decides; that they may is the caller's to check. */
  by: Actor;
  reason?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** Who sent an operator's decision, whoever they say to be; for the audit trail. */
  sender?: string | null | undefined;
}

export interface DecidedApproval {
  approval: Approval;
  receipt: Receipt | null;
}

/**
 * Decides a pending approval, once. Racing deciders: one wins, the others get APPROVAL_ALREADY_DECIDED; after its time APPROVAL_EXPIRED.
 * The workflow is told after commit, a moment later where a caller waits for the run; if telling fails the outbox relay tells it later.
 */
export async function decideApproval(
  gateway: Gateway,
  { approvalId, decision, by, reason, metadata, sender }: DecideApproval,
): Promise<DecidedApproval> {
  if (decision === 'approve') await gateway.receipts.register();
  const { approval, receipt, isAwaited } = await gateway.db.transaction(async (tx) => {
    const approval = await moveApproval(tx, approvalId, { from: 'pending', to: OUTCOME[decision], by, reason, metadata });
    if (!approval) throw decisionConflict(await findApprovalById(tx, approvalId));
    const receipt = approval.status === 'approved' ? await signReceipt(gateway, tx, approval) : null;
    await announceApproval(gateway, tx, settledEvent(approval), approval, receipt);
    const isAwaited = await insertSettled(tx, approval);
    await recordActivity(tx, settledActivity(approval, sender));
    return { approval, receipt, isAwaited };
  });

  if (isAwaited) tellSettledSoon(gateway, approval);
  else await tellSettled(gateway, approval);
  return { approval, receipt };
}

function decisionConflict(approval: Approval | undefined): GatewayError {
  if (!approval) return new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval.');
  if (approval.status === 'pending' || approval.decidedByType === 'timeout') {
    return new GatewayError('APPROVAL_EXPIRED', 'The time to decide this approval is up.', { status: approval.status });
  }
  return new GatewayError('APPROVAL_ALREADY_DECIDED', `This approval is ${approval.status} already.`, { status: approval.status });
}
