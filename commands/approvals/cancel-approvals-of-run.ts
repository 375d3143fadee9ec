import { GatewayError } from '../../domain/errors.ts';
import { listRunApprovals } from '../../store/approvals.ts';
import type { Gateway } from '../gateway.ts';
import { decideApproval } from './decide-approval.ts';

/** Cancels the pending approvals of a finished run: approving them would have no effect. */
export async function cancelApprovalsOfRun(gateway: Gateway, codeRunId: string): Promise<void> {
  const approvals = await listRunApprovals(gateway.db, codeRunId);
  for (const { id } of approvals.filter(({ status }) => status === 'pending')) {
    await decideApproval(gateway, {
      approvalId: id,
      decision: 'cancel',
      by: { type: 'system', id: null },
      reason: 'The code run that asked has ended.',
    }).catch(ignoreConflict);
  }
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof GatewayError) || error.status !== 409) throw error;
}
