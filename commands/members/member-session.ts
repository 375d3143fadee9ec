import { memberActivity } from '../../domain/activity.ts';
import type { SignedInMember, SignInMethod } from '../../domain/member.ts';
import { actorOfPerson, type UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { isWellFormed, type Tokens } from '../../infra/tokens.ts';
import { deleteInvitation } from '../../store/member-links.ts';
import {
  deleteMemberSession,
  deleteMemberSessions,
  findMemberSession,
  insertMemberSession,
  touchMemberSession,
} from '../../store/member-sessions.ts';
import { markJoined } from '../../store/memberships.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/** The browser that signs in. */
export interface SignInBrowser {
  /** Source address of the sign-in. */
  source: string;
  userAgent: string;
}

const USER_AGENT_MAX_LENGTH = 300;

/**
 * Starts a session of a member, and returns the token for its cookie. The new token prevents
 * session fixation. Invalidates the member's invitation, because its sender knows the link.
 */
export async function openMemberSession(
  { db, tokens }: { db: Db; tokens: Tokens },
  member: UserPerson,
  method: SignInMethod,
  { source, userAgent }: SignInBrowser,
  provedSecondsAgo = 0,
): Promise<string> {
  const token = tokens.issue('mss_');
  const { orgId, id: userId } = member;
  const shownAgent = userAgent.slice(0, USER_AGENT_MAX_LENGTH);
  const session = { tokenHash: tokens.hash(token), orgId, userId, method, source, userAgent: shownAgent };
  await insertMemberSession(db, session, provedSecondsAgo);
  await markJoined(db, orgId, userId);
  await deleteInvitation(db, orgId, userId);
  await recordActivity(db, memberActivity('member.signed_in', member, actorOfPerson(member), { method, source }));
  return token;
}

/**
 * Finds the member of a session by its token; undefined if the browser is not signed in. Requests
 * with `isInUse` false do not extend the session. An unattended page with automatic requests must
 * not keep a session alive.
 */
export async function findSignedInMember(
  { db, tokens }: Gateway,
  token: string | undefined,
  { isInUse = true } = {},
): Promise<SignedInMember | undefined> {
  if (token === undefined || !isWellFormed(token, 'mss_')) return undefined;
  const found = await findMemberSession(db, tokens.hash(token));
  if (!found) return undefined;
  const { isToTouch, ...member } = found;
  if (isToTouch && isInUse) await touchMemberSession(db, member.sessionId);
  return member;
}

/** Ends a session. Its token stops working. */
export async function endMemberSession({ db, tokens }: Gateway, token: string | undefined): Promise<void> {
  if (token !== undefined && isWellFormed(token, 'mss_')) await deleteMemberSession(db, tokens.hash(token));
}

/** Ends all sessions of a member, in every browser. */
export async function signOutEverywhere({ db }: Pick<Gateway, 'db'>, member: SignedInMember): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteMemberSessions(tx, member.orgId, member.id);
    await recordActivity(tx, memberActivity('member.signed_out_everywhere', member, actorOfPerson(member)));
  });
}
