import { memberActivity } from '../../domain/activity.ts';
import { actorOfPerson, type UserPerson } from '../../domain/person.ts';
import type { Config } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { isWellFormed, type Tokens } from '../../infra/tokens.ts';
import { findSetupLink, replaceSetupLink, takeSetupLink } from '../../store/member-links.ts';
import { isOwnerJoined, updateMembership, upsertMembership } from '../../store/memberships.ts';
import { lockOrg } from '../../store/orgs.ts';
import { upsertUser } from '../../store/users.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';
import { hashPassword } from './password-hash.ts';

/**
 * Issues the link with which the first owner signs up, once, within 24 hours. Invalidates an
 * earlier link. Returns undefined if an owner has already signed in.
 */
export async function issueSetupLink(
  { db, tokens, config }: { db: Db; tokens: Tokens; config: Pick<Config, 'platformUrl'> },
  orgId: string,
): Promise<string | undefined> {
  if (await isOwnerJoined(db, orgId)) return undefined;
  const token = tokens.issue('stp_');
  await replaceSetupLink(db, orgId, tokens.hash(token));
  return `${config.platformUrl}/app/setup?token=${token}`;
}

/** True if a set-up link still works. Changes nothing. */
export async function isSetupLink({ db, tokens }: Gateway, token: string): Promise<boolean> {
  if (!isWellFormed(token, 'stp_')) return false;
  const orgId = await findSetupLink(db, tokens.hash(token));
  return orgId !== undefined && !(await isOwnerJoined(db, orgId));
}

export interface FirstOwner {
  name: string;
  email: string;
  /** The caller must have checked the password. */
  password: string;
}

/**
 * Creates the first owner and returns the token of a session; undefined if the link is no longer
 * valid. Throws UNAVAILABLE if too many people are signing in.
 */
export async function setUp(gateway: Gateway, token: string, owner: FirstOwner, browser: SignInBrowser): Promise<string | undefined> {
  if (!(await isSetupLink(gateway, token))) return undefined;
  const passwordHash = await hashPassword(owner.password);
  return gateway.db.transaction(async (db) => {
    const orgId = await takeSetupLink(db, gateway.tokens.hash(token));
    if (orgId === undefined) return undefined;
    await lockOrg(db, orgId);
    if (await isOwnerJoined(db, orgId)) return undefined;
    const { id, email } = await upsertUser(db, { email: owner.email, displayName: null });
    await upsertMembership(db, { orgId, userId: id, role: 'owner' });
    await updateMembership(db, orgId, id, { displayName: owner.name, passwordHash });
    const member: UserPerson = { type: 'user', id, orgId, role: 'owner', email, displayName: owner.name };
    await recordActivity(db, memberActivity('member.added', member, actorOfPerson(member)));
    return openMemberSession({ ...gateway, db }, member, 'setup', browser);
  });
}
