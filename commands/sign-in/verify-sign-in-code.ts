import { timingSafeEqual } from 'node:crypto';
import { EMAIL_ISSUER } from '../../domain/oauth/sign-in.ts';
import type { Db } from '../../infra/database.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { upsertIdentity } from '../../store/identities.ts';
import { spendSignInCode, takeSignInGuess } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';
import { openSignInSession } from './open-sign-in-session.ts';
import { hashCode } from './send-sign-in-code.ts';

/**
 * `over`: no guess is left, or the code is spent, expired or for another browser. `email`: the
 * address whose code was guessed wrong.
 */
export type VerifiedCode<Value> =
  | { outcome: 'verified'; value: Value }
  | { outcome: 'wrong'; guessesLeft: number; email: string }
  | { outcome: 'over'; email?: string };

/**
 * Compares a typed code with the mailed code. Each attempt uses up one guess, and the right code is
 * spent. `use` runs in the transaction that spends the code.
 */
export async function verifyCode<Value>(
  { db, tokens }: Gateway,
  browserSecret: string,
  typed: string,
  use: (tx: Db, email: string) => Promise<Value>,
): Promise<VerifiedCode<Value>> {
  if (!isWellFormed(browserSecret, 'sin_')) return { outcome: 'over' };
  const browserHash = tokens.hash(browserSecret);
  const guess = await takeSignInGuess(db, browserHash);
  if (!guess) return { outcome: 'over' };
  const { email, guessesLeft } = guess;
  if (!timingSafeEqual(hashCode({ tokens }, browserSecret, typed.replace(/[\s-]/g, '')), guess.codeHash))
    return guessesLeft > 0 ? { outcome: 'wrong', guessesLeft, email } : { outcome: 'over', email };
  return db.transaction(async (tx) => {
    if (!(await spendSignInCode(tx, browserHash))) return { outcome: 'over' };
    return { outcome: 'verified', value: await use(tx, email) };
  });
}

/** Verifies the code of an end user, starts a session and returns its token. */
export async function verifySignInCode(gateway: Gateway, browserSecret: string, typed: string): Promise<VerifiedCode<string>> {
  return verifyCode(gateway, browserSecret, typed, async (tx, email) => {
    const identity = await upsertIdentity(tx, { issuer: EMAIL_ISSUER, subject: email, email });
    return openSignInSession({ ...gateway, db: tx }, identity, 'now');
  });
}
