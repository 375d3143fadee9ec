import { memberActivity } from '../../domain/activity.ts';
import type { Actor } from '../../domain/approval.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { OrgRole } from '../../domain/policies/policy.ts';
import type { Db } from '../../infra/database.ts';
import { upsertMembership } from '../../store/memberships.ts';
import { upsertUser } from '../../store/users.ts';
import { recordActivity } from '../audit/record-activity.ts';

export interface NewMember {
  orgId: string;
  email: string;
  /** Null keeps the user's current name. */
  displayName: string | null;
  role: OrgRole;
  by: Actor;
}

/**
 * Adds a person to an organization. An existing user, found by e-mail address ignoring case, keeps
 * the id. An existing member gets the new role.
 */
export async function addUser(db: Db, { orgId, email, displayName, role, by }: NewMember): Promise<UserPerson> {
  return db.transaction(async (tx) => {
    const user = await upsertUser(tx, { email, displayName });
    await upsertMembership(tx, { orgId, userId: user.id, role });
    const member: UserPerson = { type: 'user', orgId, role, ...user };
    await recordActivity(tx, memberActivity('member.added', member, by));
    return member;
  });
}
