import type { Identity } from '../../domain/oauth/sign-in.ts';
import { isWellFormed } from '../../infra/tokens.ts';
import { deleteSignInSession, findSignInSession, type SignInSession } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';

/** The identity of a session token; undefined if the browser is not signed in. */
export async function signedIn(gateway: Gateway, sessionToken: string | undefined): Promise<Identity | undefined> {
  return (await sessionOf(gateway, sessionToken))?.identity;
}

/** The session of a browser. Its `id` does not reveal the token. */
export interface OpenSession extends SignInSession {
  id: string;
}

/** The session of a token; undefined if the browser is not signed in. */
export async function sessionOf({ db, tokens }: Gateway, sessionToken: string | undefined): Promise<OpenSession | undefined> {
  if (sessionToken === undefined || !isWellFormed(sessionToken, 'sis_')) return undefined;
  const hash = tokens.hash(sessionToken);
  const found = await findSignInSession(db, hash);
  return found && { ...found, id: hash.toString('base64url') };
}

/** Deletes a session. Its token stops working. */
export async function signOut({ db, tokens }: Gateway, sessionToken: string | undefined): Promise<void> {
  if (sessionToken !== undefined && isWellFormed(sessionToken, 'sis_')) await deleteSignInSession(db, tokens.hash(sessionToken));
}
