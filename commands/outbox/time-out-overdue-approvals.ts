import { listForgottenApprovalIds } from '../../store/approval-transitions.ts';
import { timeOutApproval } from '../approvals/time-out-approval.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Ends at most `limit` overdue approvals, which their workflows should have ended. Returns their
 * number.
 */
export async function timeOutOverdueApprovals(gateway: Gateway, limit: number): Promise<number> {
  const overdue = await listForgottenApprovalIds(gateway.db, limit);
  for (const id of overdue) await timeOutApproval(gateway, id);
  return overdue.length;
}
