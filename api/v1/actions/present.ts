import type { ApprovalLinks } from '../../../commands/approvals/approval-links.ts';
import type { Approval } from '../../../domain/approval.ts';

/**
 * The answer for a call that needs approval: the approval, and how to repeat the call after the
 * decision.
 */
export function presentGatedAction(approval: Approval, links: ApprovalLinks) {
  return {
    success: false,
    status: 'approval_required',
    approval: {
      id: approval.id,
      policyId: approval.policyId,
      status: approval.status,
      approvalAccessMode: approval.approvalAccessMode,
      approvalUrl: links.approvalUrl,
      hostedApprovalUrl: links.hostedApprovalUrl,
      expiresAt: approval.expiresAt.toISOString(),
      retry: { idempotencyKey: approval.idempotencyKey },
    },
  };
}
