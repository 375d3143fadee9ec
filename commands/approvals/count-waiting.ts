import type { SignedInMember } from '../../domain/member.ts';
import { mayReview } from '../../domain/policies/approver-rules.ts';
import { countWaitingByApprovers } from '../../store/approval-inbox.ts';
import type { Gateway } from '../gateway.ts';

/**
 * How many waiting approvals a member may decide, in one query. Counts at most about a thousand.
 */
export async function countWaiting({ db }: Pick<Gateway, 'db'>, member: SignedInMember): Promise<number> {
  if (member.role === 'viewer') return 0;
  const counted = await countWaitingByApprovers(db, member.orgId);
  // End users are no members, so neither the workspace nor the end user of an approval matters
  // here.
  const mine = counted.filter(({ approvers }) => mayReview({ orgId: member.orgId, workspaceId: '', endUserId: null, approvers }, member));
  return mine.reduce((sum, { total }) => sum + total, 0);
}
