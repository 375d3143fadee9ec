import { memberActivity } from '../../domain/activity.ts';
import type { SignedInMember } from '../../domain/member.ts';
import { actorOfPerson } from '../../domain/person.ts';
import { deleteMemberSessions } from '../../store/member-sessions.ts';
import { findPasswordHash, updateMembership } from '../../store/memberships.ts';
import { deleteCount } from '../../store/request-counts.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { limitSource } from '../oauth/limit-source.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';
import { hashPassword, isPassword } from './password-hash.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';

export type ChangedPassword = { outcome: 'changed'; token: string } | { outcome: 'wrong' } | { outcome: 'limited'; waitSeconds: number };

/**
 * Sets a member's password and ends all other sessions. Without a current password, the caller must
 * have checked that the sign-in is recent. Throws UNAVAILABLE if too many people are signing in.
 */
export async function changePassword(
  gateway: Gateway,
  member: SignedInMember,
  { current, next, ...browser }: SignInBrowser & { current: string; next: string },
): Promise<ChangedPassword> {
  const { orgId, id } = member;
  const hash = await findPasswordHash(gateway.db, orgId, id);
  if (hash !== undefined) {
    const email = member.email.toLowerCase();
    // Counts before the password is checked, so that a guess beyond the limit reveals nothing.
    const waitSeconds = await limitSource(gateway, 'member-email', email);
    if (waitSeconds !== undefined) return { outcome: 'limited', waitSeconds };
    if (!(await isPassword(current, hash))) {
      await recordFailedSignIn(gateway.db, [member], 'password', browser.source);
      return { outcome: 'wrong' };
    }
    await deleteCount(gateway.db, 'member-email', email);
  }
  const passwordHash = await hashPassword(next);
  const token = await gateway.db.transaction(async (db) => {
    await updateMembership(db, orgId, id, { passwordHash });
    await deleteMemberSessions(db, orgId, id);
    await recordActivity(db, memberActivity('member.password_changed', member, actorOfPerson(member)));
    return openMemberSession({ ...gateway, db }, member, 'password', browser);
  });
  return { outcome: 'changed', token };
}
