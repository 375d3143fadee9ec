import type { UserPerson } from '../../domain/person.ts';
import type { Db } from '../../infra/database.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { findMemberLink, type LinkPurpose, replaceMemberLink, takeMemberLink } from '../../store/member-links.ts';
import { findMember } from '../../store/memberships.ts';
import type { Gateway } from '../gateway.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';

type LinkHost = Pick<Gateway, 'tokens' | 'config'> & { db: Db };

/**
 * Issues a link that signs a member in once, within 10 minutes. An invitation is valid for 7 days.
 * Invalidates the earlier link of the member.
 */
export async function issueMemberLink({ db, tokens, config }: LinkHost, member: UserPerson, purpose: LinkPurpose): Promise<string> {
  const token = tokens.issue('sil_');
  await replaceMemberLink(db, { orgId: member.orgId, userId: member.id, purpose, tokenHash: tokens.hash(token) });
  return `${config.platformUrl}/app/sign-in/link?token=${token}`;
}

/** Finds the member of a link that still works. Changes nothing. */
export async function readMemberLink({ db, tokens }: Gateway, token: string): Promise<UserPerson | undefined> {
  const link = isWellFormed(token, 'sil_') ? await findMemberLink(db, tokens.hash(token)) : undefined;
  return link && findMember(db, link.orgId, link.userId);
}

/**
 * Signs in the member of a link, once, and returns the token of the session; undefined if the link
 * is no longer valid.
 */
export async function signInByLink(gateway: Gateway, token: string, browser: SignInBrowser): Promise<string | undefined> {
  if (!isWellFormed(token, 'sil_')) return undefined;
  return gateway.db.transaction(async (db) => {
    const link = await takeMemberLink(db, gateway.tokens.hash(token));
    const member = link && (await findMember(db, link.orgId, link.userId));
    if (!member) return undefined;
    if (!link.isExpired) return openMemberSession({ ...gateway, db }, member, 'link', browser);
    await recordFailedSignIn(db, [member], 'link', browser.source);
    return undefined;
  });
}
