import { timingSafeEqual } from 'node:crypto';
import { EMAIL_ISSUER } from '../../domain/oauth/sign-in.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { upsertIdentity } from '../../store/identities.ts';
import { spendSignInCode, takeSignInGuess } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';
import { openSignInSession } from './open-sign-in-session.ts';
import { hashCode } from './send-sign-in-code.ts';

/** `wrong`: guesses are left. `over`: the code is spent, expired or of another browser. */
export type VerifiedCode = { outcome: 'signed-in'; sessionToken: string } | { outcome: 'wrong'; guessesLeft: number } | { outcome: 'over' };

/**
 * Compares a typed code with the one mailed for this browser. Every attempt uses one guess; the
 * right code is spent and starts a session.
 */
export async function verifySignInCode(gateway: Gateway, browserSecret: string, typed: string): Promise<VerifiedCode> {
  const { db, tokens } = gateway;
  if (!isWellFormed(browserSecret, 'sin_')) return { outcome: 'over' };
  const browserHash = tokens.hash(browserSecret);
  const guess = await takeSignInGuess(db, browserHash);
  if (!guess) return { outcome: 'over' };
  if (!timingSafeEqual(hashCode(gateway, browserSecret, typed.replace(/[\s-]/g, '')), guess.codeHash))
    return guess.guessesLeft > 0 ? { outcome: 'wrong', guessesLeft: guess.guessesLeft } : { outcome: 'over' };
  const sessionToken = await db.transaction(async (tx) => {
    if (!(await spendSignInCode(tx, browserHash))) return undefined;
    const identity = await upsertIdentity(tx, { issuer: EMAIL_ISSUER, subject: guess.email, email: guess.email });
    return openSignInSession({ ...gateway, db: tx }, identity, 'now');
  });
  return sessionToken === undefined ? { outcome: 'over' } : { outcome: 'signed-in', sessionToken };
}
