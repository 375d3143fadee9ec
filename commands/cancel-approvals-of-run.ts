import { GatewayError } from '../domain/errors.ts';
import { listRunApprovals } from '../store/approvals.ts';
import { decideApproval } from './decide-approval.ts';
import type { Gateway } from './gateway.ts';

/** Cancels what a run that has ended still asks of people: approving it would lead to nothing. */
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
