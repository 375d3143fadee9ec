import { listMembershipsOfEmail } from '../../store/memberships.ts';
import type { Gateway } from '../gateway.ts';
import { type VerifiedCode, verifyCode } from '../sign-in/verify-sign-in-code.ts';
import { openMemberSession, type SignInBrowser } from './member-session.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';

/**
 * Signs a member in by the code that was mailed for this browser. Uses the oldest membership of the
 * address. The verified value is the session's token; undefined if no member has the address.
 */
export async function signInByCode(
  gateway: Gateway,
  { browserSecret, code, ...browser }: SignInBrowser & { browserSecret: string; code: string },
): Promise<VerifiedCode<string | undefined>> {
  const verified = await verifyCode(gateway, browserSecret, code, async (db, email) => {
    const [membership] = await listMembershipsOfEmail(db, email, 1);
    if (!membership) return undefined;
    const { passwordHash: _, ...member } = membership;
    return openMemberSession({ ...gateway, db }, member, 'code', browser);
  });
  if (verified.outcome !== 'verified' && verified.email !== undefined) {
    await recordFailedSignIn(gateway.db, await listMembershipsOfEmail(gateway.db, verified.email, 1), 'code', browser.source);
  }
  return verified;
}
