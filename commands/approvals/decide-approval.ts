import { settledActivity } from '../../domain/activity.ts';
import { type Actor, type Approval, type Decision, OUTCOME, type Receipt, settledEvent } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { hideOperatorCodes } from '../../domain/redaction/operator-codes-in-text.ts';
import type { Db } from '../../infra/database.ts';
import { transitionApproval } from '../../store/approval-transitions.ts';
import { findApprovalById } from '../../store/approvals.ts';
import { insertSettled } from '../../store/outbox.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled, signalSettledSoon } from '../outbox/notify-orchestrator.ts';
import { announceApproval } from './announce-approval.ts';
import { signReceipt } from './sign-receipt.ts';

export interface DecideApproval {
  approvalId: string;
  decision: Decision;
  /** The caller must have checked that this actor may decide. */
  by: Actor;
  /** An operator code in the reason is hidden before the reason is stored. */
  reason?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** For the audit trail: the sender that Temporal recorded for an operator's decision. */
  sender?: string | null | undefined;
  /** Runs in the transaction of the decision. If it throws, nothing is decided. */
  spend?: ((tx: Db) => Promise<void>) | undefined;
}

export interface DecidedApproval {
  approval: Approval;
  receipt: Receipt | null;
}

/**
 * Decides a pending approval. Of concurrent decisions, only one succeeds. Throws
 * APPROVAL_ALREADY_DECIDED, APPROVAL_EXPIRED and APPROVAL_NOT_FOUND.
 */
export async function decideApproval(
  gateway: Gateway,
  { approvalId, decision, by, reason, metadata, sender, spend }: DecideApproval,
): Promise<DecidedApproval> {
  if (decision === 'approve') await gateway.receipts.register();
  const { approval, receipt, isAwaited } = await gateway.db.transaction(async (tx) => {
    const approval = await transitionApproval(tx, approvalId, {
      from: 'pending',
      to: OUTCOME[decision],
      by,
      reason: reason && hideOperatorCodes(reason),
      metadata,
    });
    if (!approval) throw decisionConflict(await findApprovalById(tx, approvalId));
    await spend?.(tx);
    const receipt = approval.status === 'approved' ? await signReceipt(gateway, tx, approval) : null;
    await announceApproval(gateway, tx, settledEvent(approval), approval, receipt);
    const isAwaited = await insertSettled(tx, approval);
    await recordActivity(tx, settledActivity(approval, sender));
    return { approval, receipt, isAwaited };
  });

  if (isAwaited) signalSettledSoon(gateway, approval);
  else void gateway.background.track(signalSettled(gateway, approval));
  return { approval, receipt };
}

/** Another decision came first or the approval has expired. */
export class DecisionConflict extends GatewayError {
  /** A private field, so that no log contains the approval. */
  readonly #approval: Approval;

  constructor(approval: Approval) {
    const { status, decidedByType } = approval;
    const isExpired = status === 'pending' || decidedByType === 'timeout';
    if (isExpired) super('APPROVAL_EXPIRED', 'The time to decide this approval is up.', { status });
    else super('APPROVAL_ALREADY_DECIDED', `This approval is ${status} already.`, { status });
    this.#approval = approval;
  }

  /** The approval as it was when this decision was refused. */
  get approval(): Approval {
    return this.#approval;
  }
}

function decisionConflict(approval: Approval | undefined): GatewayError {
  return approval ? new DecisionConflict(approval) : new GatewayError('APPROVAL_NOT_FOUND', 'There is no such approval.');
}
