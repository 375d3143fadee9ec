import { memberActivity } from '../../domain/activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Member } from '../../domain/member.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { findListedMember } from '../../store/memberships.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { issueMemberLink } from './member-links.ts';
import { type InvitedMember, sendInvitation } from './send-invitation.ts';

/**
 * Invites a member again with a new link, which invalidates the earlier link. Throws NOT_FOUND and
 * the errors of `assertMay`.
 */
export async function inviteMember(
  gateway: Gateway,
  by: KeyPrincipal,
  userId: string,
  assertMay: (member: Member) => void,
): Promise<InvitedMember> {
  const { member, signInLink } = await gateway.db.transaction(async (db) => {
    const found = await findListedMember(db, by.orgId, userId);
    if (!found) throw new GatewayError('NOT_FOUND', 'There is no such member.');
    assertMay(found);
    await recordActivity(db, memberActivity('member.invited', found, actorOf(by)));
    return { member: found, signInLink: await issueMemberLink({ ...gateway, db }, found, 'invitation') };
  });
  return { member, signInLink, emailSent: await sendInvitation(gateway, member, signInLink) };
}
