import type { Approval } from '../domain/approval.ts';
import type { EndUser } from '../domain/end-user.ts';
import { listPendingForEndUser } from '../store/approvals-for-end-user.ts';
import { personalLink } from './approval-links.ts';
import type { Gateway } from './gateway.ts';

/** What waits for an end user's own decision, the first to end first; each with the link that is theirs alone. */
export interface WaitingApprovals {
  items: { approval: Approval; url: string }[];
  /** There are more than are listed. */
  hasMore: boolean;
}

const MAX_LISTED = 20;

/** Lists the pending approvals that their policies route to this end user (specification 2.7, approver end_user). */
export async function listWaiting(gateway: Gateway, endUser: EndUser): Promise<WaitingApprovals> {
  const found = await listPendingForEndUser(gateway.db, endUser, MAX_LISTED + 1);
  const items = found
    .slice(0, MAX_LISTED)
    .map((approval) => ({ approval, url: personalLink(gateway, approval, { ...endUser, type: 'end_user' }) }));
  return { items, hasMore: found.length > MAX_LISTED };
}
