import { decideApproval } from '../commands/decide-approval.ts';
import type { Gateway } from '../commands/gateway.ts';
import { timeOutApproval } from '../commands/time-out-approval.ts';
import { type Decision, settledEvent } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import { findApprovalById } from '../store/approvals.ts';
import type { ApprovalState } from '../workflows/contract.ts';

/** Effects on approvals. */
export function createApprovalActivities(gateway: Gateway) {
  return {
    /** Applies what an operator decided, ends what is overdue, and says where the approval stands. Whoever came first has won. */
    async settleApproval({
      approvalId,
      decisions,
    }: {
      approvalId: string;
      decisions: { decision: Decision; reason?: string }[];
    }): Promise<ApprovalState> {
      for (const { decision, reason } of decisions) {
        await decideApproval(gateway, { approvalId, decision, reason, by: { type: 'operator', id: null } }).catch(ignoreConflict);
      }
      await timeOutApproval(gateway, approvalId);
      const approval = await findApprovalById(gateway.db, approvalId);
      if (!approval) return { status: 'canceled', event: null };
      const settled = approval.status !== 'pending' && approval.decidedByType !== 'policy';
      return {
        status: approval.status,
        event: settled ? settledEvent({ ...approval, status: approval.status === 'consumed' ? 'approved' : approval.status }) : null,
      };
    },
  };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}
