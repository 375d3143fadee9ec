import { memberActivity } from '../domain/activity.ts';
import type { Actor } from '../domain/approval.ts';
import type { UserPerson } from '../domain/person.ts';
import type { OrgRole } from '../domain/policy.ts';
import type { Db } from '../infra/database.ts';
import { upsertMembership } from '../store/memberships.ts';
import { upsertUser } from '../store/users.ts';
import { recordActivity } from './record-activity.ts';

export interface NewMember {
  orgId: string;
  email: string;
  /** Null leaves the name that the user has. */
  displayName: string | null;
  role: OrgRole;
  /** Who makes them a member. */
  by: Actor;
}

/** Makes a person a member of an organization, known by e-mail address in any case; one who is a member already gets that role, and keeps the id. */
export async function addUser(db: Db, { orgId, email, displayName, role, by }: NewMember): Promise<UserPerson> {
  return db.transaction(async (tx) => {
    const user = await upsertUser(tx, { email, displayName });
    await upsertMembership(tx, { orgId, userId: user.id, role });
    const member: UserPerson = { type: 'user', orgId, role, ...user };
    await recordActivity(tx, memberActivity('member.added', member, by));
    return member;
  });
}
