import { memberActivity } from '../../domain/activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { findListedMember, insertMembership } from '../../store/memberships.ts';
import { upsertUser } from '../../store/users.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { issueMemberLink } from './member-links.ts';
import { type InvitedMember, sendInvitation } from './send-invitation.ts';

export interface NewMember {
  email: string;
  /** Null if not known yet. */
  name: string | null;
  role: OrgRole;
}

/** A member who was added. */
export interface AddedMember extends Omit<InvitedMember, 'signInLink'> {
  /** Null if this caller may not see the link. */
  signInLink: string | null;
}

/**
 * Adds and invites a person. The caller must have checked that `by` may give this role. Without
 * `managesOwners`, the link of a person who has signed in is withheld, because the link acts in
 * that person's name. Throws DUPLICATE.
 */
export async function addMember(
  gateway: Gateway,
  by: KeyPrincipal,
  { email, name, role }: NewMember,
  managesOwners: boolean,
): Promise<AddedMember> {
  const { orgId } = by;
  const { member, signInLink } = await gateway.db.transaction(async (db) => {
    const user = await upsertUser(db, { email, displayName: null });
    if (!(await insertMembership(db, { orgId, userId: user.id, role, displayName: name })))
      throw new GatewayError('DUPLICATE', 'A member with this e-mail address already exists.');
    const added = (await findListedMember(db, orgId, user.id))!;
    await recordActivity(db, memberActivity('member.added', added, actorOf(by)));
    return { member: added, signInLink: await issueMemberLink({ ...gateway, db }, added, 'invitation') };
  });
  const emailSent = await sendInvitation(gateway, member, signInLink);
  return { member, signInLink: managesOwners || !member.hasSignedIn ? signInLink : null, emailSent };
}
