import type { Member } from '../domain/member.ts';
import type { UserPerson } from '../domain/person.ts';
import type { OrgRole } from '../domain/policies/policy.ts';
import type { Db } from '../infra/database.ts';
import { toRow } from './columns.ts';
import { deleteMemberSessions } from './member-sessions.ts';

/** Adds a member to an organization, or changes the member's role. */
export async function upsertMembership(db: Db, membership: { orgId: string; userId: string; role: OrgRole }): Promise<void> {
  const { orgId, userId, role } = membership;
  await db('memberships').insert({ org_id: orgId, user_id: userId, role }).onConflict(['org_id', 'user_id']).merge(['role']);
}

/** Adds a member; false if the user is already a member. */
export async function insertMembership(
  db: Db,
  membership: { orgId: string; userId: string; role: OrgRole; displayName: string | null },
): Promise<boolean> {
  const inserted = await db('memberships').insert(toRow(membership)).onConflict(['org_id', 'user_id']).ignore().returning('user_id');
  return inserted.length > 0;
}

/** Changes of a membership; undefined fields stay as they are. */
export interface MembershipChanges {
  role?: OrgRole | undefined;
  displayName?: string | null | undefined;
  passwordHash?: string | undefined;
}

export async function updateMembership(db: Db, orgId: string, userId: string, changes: MembershipChanges): Promise<void> {
  await db('memberships').where({ org_id: orgId, user_id: userId }).update(toRow(changes));
}

/** Records the first sign-in of a member in the membership and in the user. */
export async function markJoined(db: Db, orgId: string, userId: string): Promise<void> {
  await db('users').where({ id: userId, joined_at: null }).update({ joined_at: db.fn.now() });
  await db('memberships').where({ org_id: orgId, user_id: userId, joined_at: null }).update({ joined_at: db.fn.now() });
}

/** Finds a member of the organization by the id of the user. */
export async function findMember(db: Db, orgId: string, userId: string): Promise<UserPerson | undefined> {
  return members(db, orgId).where('u.id', userId).first();
}

/** Like `findMember`, with the additional fields of lists. */
export async function findListedMember(db: Db, orgId: string, userId: string): Promise<Member | undefined> {
  return members(db, orgId)
    .select(...listed(db))
    .where('u.id', userId)
    .first();
}

/** Finds a member of the organization by e-mail address, ignoring case. */
export async function findMemberByEmail(db: Db, orgId: string, email: string): Promise<UserPerson | undefined> {
  return members(db, orgId).whereRaw('lower(u.email) = lower(?)', [email]).first();
}

/** A membership with the hash of its password; null if there is no password. */
export interface MemberWithPassword extends UserPerson {
  passwordHash: string | null;
}

/** Returns the memberships of an e-mail address in all organizations, oldest first. */
export async function listMembershipsOfEmail(db: Db, email: string, limit: number): Promise<MemberWithPassword[]> {
  return members(db)
    .select('m.password_hash as passwordHash')
    .whereRaw('lower(u.email) = lower(?)', [email])
    .orderBy([{ column: 'm.created_at' }, { column: 'm.org_id' }])
    .limit(limit);
}

/** Returns the hash of a member's password; undefined if there is no password. */
export async function findPasswordHash(db: Db, orgId: string, userId: string): Promise<string | undefined> {
  const row = await db('memberships').where({ org_id: orgId, user_id: userId }).first('password_hash');
  return row?.password_hash ?? undefined;
}

/** Returns all members of an organization, oldest first. */
export async function listMembers(db: Db, orgId: string): Promise<Member[]> {
  return members(db, orgId)
    .select(...listed(db))
    .orderBy([{ column: 'm.created_at' }, { column: 'u.id' }]);
}

/** Returns the number of owners of an organization. */
export async function countOwners(db: Db, orgId: string): Promise<number> {
  const [row] = await db('memberships').where({ org_id: orgId, role: 'owner' }).count('* as total');
  return Number(row!.total);
}

/** Returns true if at least one owner of an organization has signed in. */
export async function isOwnerJoined(db: Db, orgId: string): Promise<boolean> {
  return (await db('memberships').where({ org_id: orgId, role: 'owner' }).whereNotNull('joined_at').first('user_id')) !== undefined;
}

/** Deletes a membership and its sessions. */
export async function deleteMembership(db: Db, orgId: string, userId: string): Promise<boolean> {
  await deleteMemberSessions(db, orgId, userId);
  return (await db('memberships').where({ org_id: orgId, user_id: userId }).delete()) > 0;
}

/**
 * The additional columns of lists. Reads both times of the first sign-in, because processes of an
 * earlier release record it only in the membership.
 */
function listed(db: Db) {
  const hasSignedIn = db.raw('coalesce(u.joined_at, m.joined_at) is not null as "hasSignedIn"');
  return ['m.joined_at as joinedAt', 'm.created_at as createdAt', hasSignedIn];
}

function members(db: Db, orgId?: string) {
  const query = db('memberships as m')
    .join('users as u', 'u.id', 'm.user_id')
    .select(db.raw("'user' as type"), 'u.id', 'm.org_id as orgId', 'm.role', 'u.email')
    .select(db.raw('coalesce(m.display_name, u.display_name) as "displayName"'));
  return orgId === undefined ? query : query.where('m.org_id', orgId);
}
