import type { Approval } from '../../domain/approval.ts';
import type { SignedInMember } from '../../domain/member.ts';
import { mayReview } from '../../domain/policies/approver-rules.ts';
import { countWaiting, listWaiting, listWaitingGroups, type WaitingGroup } from '../../store/approval-inbox.ts';
import type { Gateway } from '../gateway.ts';

/** Waiting approvals that are counted at most. */
export const MAX_COUNTED = 1000;

/** The number of waiting approvals that a member may decide, at most `MAX_COUNTED` and one more. */
export async function countWaitingOf({ db }: Pick<Gateway, 'db'>, member: SignedInMember): Promise<number> {
  const groups = await groupsOf(db, member);
  return groups.length === 0 ? 0 : countWaiting(db, { orgId: member.orgId, groups }, MAX_COUNTED + 1);
}

/** The oldest waiting approvals that a member may decide, in a workspace if one is given. */
export async function listWaitingOf(
  { db }: Pick<Gateway, 'db'>,
  member: SignedInMember,
  { workspaceId, limit }: { workspaceId: string | undefined; limit: number },
): Promise<Approval[]> {
  const groups = await groupsOf(db, member);
  return groups.length === 0 ? [] : listWaiting(db, { orgId: member.orgId, groups, workspaceId }, limit);
}

/**
 * The groups of approvers that a member belongs to. End users are no members, so neither the
 * workspace nor the end user of an approval matters.
 */
async function groupsOf(db: Gateway['db'], member: SignedInMember): Promise<WaitingGroup[]> {
  if (member.role === 'viewer') return [];
  const groups = await listWaitingGroups(db, member.orgId);
  return groups.filter(({ approvers }) => mayReview({ orgId: member.orgId, workspaceId: '', endUserId: null, approvers }, member));
}
