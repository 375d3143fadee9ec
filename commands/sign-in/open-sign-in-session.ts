import { type Identity, SIGN_IN_SESSION_SECONDS } from '../../domain/oauth/sign-in.ts';
import { type Authenticated, insertSignInSession } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Starts a session and returns its cookie's token. Every sign-in gets a new token, so a session
 * cannot be fixed beforehand.
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
