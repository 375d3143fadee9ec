import type { Approval } from '../../domain/approval.ts';
import type { EndUser } from '../../domain/end-user.ts';
import { listPendingForEndUser } from '../../store/approvals-for-end-user.ts';
import type { Gateway } from '../gateway.ts';
import { personalLink } from './approval-links.ts';

/**
 * Approvals that wait for one end user, the earliest expiry first. Each link is only for this end
 * user.
 */
export interface WaitingApprovals {
  items: { approval: Approval; url: string }[];
  hasMore: boolean;
}

const MAX_LISTED = 20;

/** The pending approvals that this end user may decide (specification 2.7, approver end_user). */
export async function listWaiting(gateway: Gateway, endUser: EndUser): Promise<WaitingApprovals> {
  const found = await listPendingForEndUser(gateway.db, endUser, MAX_LISTED + 1);
  const items = found
    .slice(0, MAX_LISTED)
    .map((approval) => ({ approval, url: personalLink(gateway, approval, { ...endUser, type: 'end_user' }) }));
  return { items, hasMore: found.length > MAX_LISTED };
}
