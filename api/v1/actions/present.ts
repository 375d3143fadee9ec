import type { ApprovalLinks } from '../../../commands/approval-links.ts';
import type { Approval } from '../../../domain/approval.ts';

/** What a gated caller gets: what it waits for, and how to come back. */
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
