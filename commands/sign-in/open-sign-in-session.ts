import { type Identity, SIGN_IN_SESSION_SECONDS } from '../../domain/oauth/sign-in.ts';
import { type Authenticated, insertSignInSession } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Starts a session and returns the token for its cookie. Every sign-in gets a new token, which
 * prevents session fixation.
 */
export async function openSignInSession(
  { db, tokens }: Pick<Gateway, 'db' | 'tokens'>,
  identity: Identity,
  authenticated: Authenticated,
): Promise<string> {
  const token = tokens.issue('sis_');
  await insertSignInSession(db, { tokenHash: tokens.hash(token), identityId: identity.id, authenticated }, SIGN_IN_SESSION_SECONDS);
  return token;
}
