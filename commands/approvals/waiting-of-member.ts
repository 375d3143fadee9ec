import type { Approval } from '../../domain/approval.ts';
import type { SignedInMember } from '../../domain/member.ts';
import { mayReview } from '../../domain/policies/approver-rules.ts';
import { countWaiting, listWaiting, listWaitingGroups, type WaitingGroup } from '../../store/approval-inbox.ts';
import type { Gateway } from '../gateway.ts';

/** The largest number of waiting approvals that is counted exactly. */
export const MAX_COUNTED = 1000;

/**
 * Counts the waiting approvals that a member may decide. A result of `MAX_COUNTED` + 1 means "more
 * than `MAX_COUNTED`".
 */
export async function countWaitingOf({ db }: Pick<Gateway, 'db'>, member: SignedInMember): Promise<number> {
  const groups = await groupsOf(db, member);
  return groups.length === 0 ? 0 : countWaiting(db, { orgId: member.orgId, groups }, MAX_COUNTED + 1);
}

/**
 * The oldest waiting approvals that a member may decide. Undefined `workspaceId`: all workspaces.
 */
export async function listWaitingOf(
  { db }: Pick<Gateway, 'db'>,
  member: SignedInMember,
  { workspaceId, limit }: { workspaceId: string | undefined; limit: number },
): Promise<Approval[]> {
  const groups = await groupsOf(db, member);
  return groups.length === 0 ? [] : listWaiting(db, { orgId: member.orgId, groups, workspaceId }, limit);
}

/** A member is no end user, so the workspace and the end user of the approvals do not matter. */
async function groupsOf(db: Gateway['db'], member: SignedInMember): Promise<WaitingGroup[]> {
  if (member.role === 'viewer') return [];
  const groups = await listWaitingGroups(db, member.orgId);
  return groups.filter(({ approvers }) => mayReview({ orgId: member.orgId, workspaceId: '', endUserId: null, approvers }, member));
}
