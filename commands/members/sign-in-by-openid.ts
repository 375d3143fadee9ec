import { memberActivity } from '../../domain/activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { RECENT_SIGN_IN_SECONDS } from '../../domain/member.ts';
import type { UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { findMember, insertMembership, listMembershipsOfEmail } from '../../store/memberships.ts';
import { findOnlyOrg } from '../../store/orgs.ts';
import { insertUser } from '../../store/users.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { confirmOpenIdPerson } from '../sign-in/openid-sign-in.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';

interface OpenIdAnswer extends SignInBrowser {
  browserSecret: string;
  requiresNewSignIn: boolean;
  answer: URLSearchParams;
}

/**
 * Signs in the member whose verified e-mail address the OpenID provider confirms, and returns the
 * token of the session. Uses the oldest of several memberships. A new person can become a member
 * with the configured default role. Throws the errors of `confirmOpenIdPerson`, and SCOPE_DENIED.
 */
export async function signInByOpenId(
  gateway: Gateway,
  { browserSecret, requiresNewSignIn, answer, ...browser }: OpenIdAnswer,
): Promise<string> {
  const { email, authenticatedAt } = await confirmOpenIdPerson(gateway, 'member', { browserSecret, requiresNewSignIn, answer });
  const provedSecondsAgo = cappedAgeSeconds(authenticatedAt);
  return gateway.db.transaction(async (db) => {
    const member = (await findMemberOfAddress(db, email)) ?? (await makeMember({ ...gateway, db }, email));
    return openMemberSession({ ...gateway, db }, member, 'openid', browser, provedSecondsAgo);
  });
}

/** If the provider gives no time, the sign-in counts as old. */
function cappedAgeSeconds(authenticatedAt: number | undefined): number {
  const old = RECENT_SIGN_IN_SECONDS + 1;
  return authenticatedAt === undefined ? old : Math.min(old, Math.max(0, Date.now() / 1000 - authenticatedAt));
}

async function findMemberOfAddress(db: Db, email: string): Promise<UserPerson | undefined> {
  const [membership] = await listMembershipsOfEmail(db, email, 1);
  if (!membership) return undefined;
  const { passwordHash: _, ...member } = membership;
  return member;
}

/**
 * Adds a new person as a member. Refuses a removed member, who still has a user record and needs an
 * invitation.
 */
async function makeMember({ config, db }: Pick<Gateway, 'config'> & { db: Db }, email: string): Promise<UserPerson> {
  const role = config.memberSignIn.defaultRole;
  const org = role && (await findOnlyOrg(db));
  if (!role || !org) throw noMember();
  const user = await insertUser(db, { email, displayName: null });
  // Another sign-in of the same person may have added them in the meantime.
  if (!user) return (await findMemberOfAddress(db, email)) ?? Promise.reject(noMember());
  await insertMembership(db, { orgId: org.id, userId: user.id, role, displayName: null });
  const member = (await findMember(db, org.id, user.id))!;
  await recordActivity(db, memberActivity('member.added', member, { type: 'system', id: null }, { method: 'openid' }));
  return member;
}

function noMember(): GatewayError {
  return new GatewayError('SCOPE_DENIED', 'This e-mail address belongs to no member. Ask an owner to invite you.');
}
