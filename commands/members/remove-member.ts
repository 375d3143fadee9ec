import { memberActivity } from '../../domain/activity.ts';
import type { UserPerson } from '../../domain/person.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteMembership } from '../../store/memberships.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { lockMember } from './lock-member.ts';

/**
 * Ends a membership with its sessions and links, and returns the former member. Throws NOT_FOUND,
 * LAST_OWNER and the errors of `assertMay`.
 */
export async function removeMember(
  { db }: Pick<Gateway, 'db'>,
  by: KeyPrincipal,
  userId: string,
  assertMay: (member: UserPerson) => void,
): Promise<UserPerson> {
  return db.transaction(async (tx) => {
    const member = await lockMember(tx, { orgId: by.orgId, userId, staysOwner: false, assertMay });
    await deleteMembership(tx, by.orgId, userId);
    await recordActivity(tx, memberActivity('member.removed', member, actorOf(by)));
    return member;
  });
}
