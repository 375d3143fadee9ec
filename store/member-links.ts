import { LINK_SECONDS } from '../domain/member.ts';
import type { Db } from '../infra/database.ts';

/** The purpose of a link, which decides how long the link works. */
export type LinkPurpose = 'sign-in' | 'invitation';

/** The member that a link belongs to. */
export interface LinkedMember {
  orgId: string;
  userId: string;
  purpose: LinkPurpose;
}

/** Stores the link of a member, and invalidates an earlier link. */
export async function replaceMemberLink(db: Db, link: LinkedMember & { tokenHash: Buffer }): Promise<void> {
  const { orgId, userId, purpose, tokenHash } = link;
  const expires_at = db.raw('now() + make_interval(secs => ?)', [LINK_SECONDS[purpose]]);
  const row = { org_id: orgId, user_id: userId, purpose, token_hash: tokenHash, expires_at };
  await db('member_links').insert(row).onConflict(['org_id', 'user_id']).merge();
}

/** Finds the member of a link that still works. */
export async function findMemberLink(db: Db, tokenHash: Buffer): Promise<LinkedMember | undefined> {
  return db('member_links')
    .select('org_id as orgId', 'user_id as userId', 'purpose')
    .where({ token_hash: tokenHash })
    .where('expires_at', '>', db.fn.now())
    .first();
}

/**
 * Consumes a link, even if it has expired, and returns its member. Returns undefined if the link
 * was already used or replaced.
 */
export async function takeMemberLink(db: Db, tokenHash: Buffer): Promise<(LinkedMember & { isExpired: boolean }) | undefined> {
  const [row] = await db('member_links')
    .where({ token_hash: tokenHash })
    .delete()
    .returning(['org_id as orgId', 'user_id as userId', 'purpose', db.raw('expires_at <= now() as "isExpired"')]);
  return row;
}

/** Ends the invitation of a member. */
export async function deleteInvitation(db: Db, orgId: string, userId: string): Promise<void> {
  await db('member_links').where({ org_id: orgId, user_id: userId, purpose: 'invitation' }).delete();
}

/** Stores the set-up link of an organization, and invalidates an earlier link. */
export async function replaceSetupLink(db: Db, orgId: string, tokenHash: Buffer): Promise<void> {
  const expires_at = db.raw('now() + make_interval(secs => ?)', [LINK_SECONDS.setup]);
  await db('setup_links').insert({ org_id: orgId, token_hash: tokenHash, expires_at }).onConflict('org_id').merge();
}

/** Returns the organization of a set-up link that still works. */
export async function findSetupLink(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db('setup_links').where({ token_hash: tokenHash }).where('expires_at', '>', db.fn.now()).first('org_id');
  return row?.org_id;
}

/** Consumes a set-up link that still works, and returns its organization. */
export async function takeSetupLink(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  const [row] = await db('setup_links').where({ token_hash: tokenHash }).where('expires_at', '>', db.fn.now()).delete().returning('org_id');
  return row?.org_id;
}
