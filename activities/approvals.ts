import { decideAsOperator } from '../commands/decide-as-operator.ts';
import type { Gateway } from '../commands/gateway.ts';
import { timeOutApproval } from '../commands/time-out-approval.ts';
import { type Decision, settledEvent } from '../domain/approval.ts';
import { findTimeLeftMs } from '../store/approval-moves.ts';
import { findApprovalById } from '../store/approvals.ts';
import type { ApprovalState, OperatorDecision } from '../workflows/contract.ts';

/** Effects on approvals. */
export function createApprovalActivities(gateway: Gateway) {
  return {
    /** Applies what operators decided, ends what is overdue, and says where the approval stands. Whoever came first has won. */
    async settleApproval({ approvalId, decisions }: { approvalId: string; decisions: OperatorDecision[] }): Promise<ApprovalState> {
      const refusals: string[] = [];
      for (const { decision, nth, reason, by, isUnclear = false } of decisions) {
        const sender = await senderOf(gateway, approvalId, decision, nth);
        const refusal = await decideAsOperator(gateway, { approvalId, decision, reason, by, isUnclear, sender });
        if (refusal !== null) refusals.push(`${decision}${by === undefined ? '' : ` by ${by}`}. ${refusal}`);
      }
      await timeOutApproval(gateway, approvalId);
      const approval = await findApprovalById(gateway.db, approvalId);
      if (!approval) return { status: 'canceled', event: null, timeLeftMs: 0, refusals };
      const settled = approval.status !== 'pending' && approval.decidedByType !== 'policy';
      return {
        status: approval.status,
        timeLeftMs: settled ? 0 : await findTimeLeftMs(gateway.db, approvalId),
        refusals,
        event: settled ? settledEvent({ ...approval, status: approval.status === 'consumed' ? 'approved' : approval.status }) : null,
      };
    },
  };
}

/** Who sent a signal, as far as Temporal recorded it; that it can't be asked now is no reason to hold the decision back. */
async function senderOf(gateway: Gateway, approvalId: string, decision: Decision, nth: number | undefined): Promise<string | null> {
  if (nth === undefined) return null; // asked by a workflow of before
  return gateway.orchestrator.findSignalSender(approvalId, decision, nth).catch((error) => {
    gateway.logger.warn({ approvalId, error: String(error) }, 'sender of a signal not found');
    return null;
  });
}
