import type { Approval } from '../../domain/approval.ts';
import { findApproval } from '../../store/approvals.ts';
import { DASHBOARD_NEWS } from '../../store/dashboard-news.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Waits at most `seconds` until a pending approval is settled. Returns `approval` itself if the
 * time is over.
 */
export async function awaitDecision(
  { db, notices }: Pick<Gateway, 'db' | 'notices'>,
  approval: Approval,
  seconds: number,
): Promise<Approval> {
  if (approval.status !== 'pending' || seconds === 0) return approval;
  const { orgId, id } = approval;
  const settled = async () => {
    const now = await findApproval(db, orgId, id);
    return now?.status === 'pending' ? undefined : now;
  };
  return (await notices.waitFor(DASHBOARD_NEWS, `${orgId}/approvals/${id}`, seconds * 1000, settled)) ?? approval;
}
