import { PASSWORD } from '../../domain/member.ts';
import { normalizeEmail } from '../../domain/oauth/sign-in.ts';
import { listMembershipsOfEmail, type MemberWithPassword } from '../../store/memberships.ts';
import { deleteCount, uncountRequest } from '../../store/request-counts.ts';
import type { Gateway } from '../gateway.ts';
import { limitSource } from '../oauth/limit-source.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';
import { isPassword } from './password-hash.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';

/** `refused` covers an unknown address as well as a wrong password. */
export type SignedInByPassword =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'refused' }
  | { outcome: 'limited'; waitSeconds: number };

const MAX_MEMBERSHIPS = 5;

/**
 * Signs a member in by e-mail address and password. An unknown address takes as long as a wrong
 * password of one membership. Throws UNAVAILABLE if too many people are signing in.
 */
export async function signInByPassword(
  gateway: Gateway,
  { email: typed, password, ...browser }: SignInBrowser & { email: string; password: string },
): Promise<SignedInByPassword> {
  const email = normalizeEmail(typed) ?? '';
  // Counts before the password is checked, so that concurrent attempts count too.
  const waits = await Promise.all([limitSource(gateway, 'member-source', browser.source), limitSource(gateway, 'member-email', email)]);
  const waitSeconds = Math.max(0, ...waits.map((wait) => wait ?? 0));
  if (waitSeconds > 0) return { outcome: 'limited', waitSeconds };

  const memberships = email === '' ? [] : await listMembershipsOfEmail(gateway.db, email, MAX_MEMBERSHIPS);
  const member = await findMatch(memberships, password.slice(0, 2 * PASSWORD.max));
  if (!member) {
    await recordFailedSignIn(gateway.db, memberships, 'password', browser.source);
    return { outcome: 'refused' };
  }
  await Promise.all([uncountRequest(gateway.db, 'member-source', browser.source), deleteCount(gateway.db, 'member-email', email)]);
  const { passwordHash, ...person } = member;
  return {
    outcome: 'signed-in',
    token: await gateway.db.transaction((db) => openMemberSession({ ...gateway, db }, person, 'password', browser)),
  };
}

/** Hashes once even if no membership has a password. */
async function findMatch(memberships: readonly MemberWithPassword[], password: string): Promise<MemberWithPassword | undefined> {
  const withPassword = memberships.filter(({ passwordHash }) => passwordHash !== null);
  if (withPassword.length === 0) await isPassword(password, null);
  for (const member of withPassword) if (await isPassword(password, member.passwordHash)) return member;
  return undefined;
}
