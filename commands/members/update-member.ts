import { memberActivity } from '../../domain/activity.ts';
import { hasRole, type Member } from '../../domain/member.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteMemberSessions } from '../../store/member-sessions.ts';
import { findListedMember, updateMembership } from '../../store/memberships.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { lockMember } from './lock-member.ts';

/** An undefined field stays as it is. */
export interface MemberChanges {
  role?: OrgRole | undefined;
  name?: string | undefined;
}

/**
 * Changes a member's role or name. A lower role ends the sessions of the member. Throws NOT_FOUND,
 * LAST_OWNER and the errors of `assertMay`.
 */
export async function updateMember(
  { db }: Pick<Gateway, 'db'>,
  by: KeyPrincipal,
  userId: string,
  { role, name }: MemberChanges,
  assertMay: (member: UserPerson) => void,
): Promise<Member> {
  return db.transaction(async (tx) => {
    const before = await lockMember(tx, { orgId: by.orgId, userId, staysOwner: role === undefined || role === 'owner', assertMay });
    await updateMembership(tx, by.orgId, userId, { role, displayName: name });
    if (role !== undefined && !hasRole(role, before.role)) await deleteMemberSessions(tx, by.orgId, userId);
    const member = (await findListedMember(tx, by.orgId, userId))!;
    await recordActivity(tx, memberActivity('member.updated', member, actorOf(by), { formerRole: before.role }));
    return member;
  });
}
