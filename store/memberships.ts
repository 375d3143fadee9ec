import type { UserPerson } from '../domain/person.ts';
import type { OrgRole } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';

/** Adds a member to an organization, or changes the member's role. */
export async function upsertMembership(db: Db, membership: { orgId: string; userId: string; role: OrgRole }): Promise<void> {
  const { orgId, userId, role } = membership;
  await db('memberships').insert({ org_id: orgId, user_id: userId, role }).onConflict(['org_id', 'user_id']).merge(['role']);
}

/** A member of the organization by the user's id. */
export async function findMember(db: Db, orgId: string, userId: string): Promise<UserPerson | undefined> {
  return members(db, orgId).where('u.id', userId).first();
}

/** A member of the organization by e-mail address, ignoring case. */
export async function findMemberByEmail(db: Db, orgId: string, email: string): Promise<UserPerson | undefined> {
  return members(db, orgId).whereRaw('lower(u.email) = lower(?)', [email]).first();
}

/** All members, oldest first. */
export async function listMembers(db: Db, orgId: string): Promise<UserPerson[]> {
  return members(db, orgId).orderBy([{ column: 'm.created_at' }, { column: 'u.id' }]);
}

/** Deletes a membership. The user and their decisions stay. False when there was none. */
export async function deleteMembership(db: Db, orgId: string, userId: string): Promise<boolean> {
  return (await db('memberships').where({ org_id: orgId, user_id: userId }).delete()) > 0;
}

function members(db: Db, orgId: string) {
  return db('memberships as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where('m.org_id', orgId)
    .select(db.raw("'user' as type"), 'u.id', 'm.org_id as orgId', 'm.role', 'u.email', 'u.display_name as displayName');
}
