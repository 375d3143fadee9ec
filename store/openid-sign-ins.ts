import { type Db, runPrepared } from '../infra/database.ts';

/** A sign-in at the OpenID provider that a browser has begun. */
export interface BegunOpenIdSignIn {
  /** The page to show after the sign-in. */
  next: string;
  /** True if the person must sign in again at the provider. */
  requiresNewSignIn: boolean;
}

const INSERT = {
  name: 'insert-openid-sign-in',
  text: `insert into openid_sign_ins (browser_hash, next, asks_anew, expires_at) values ($1, $2, $3, now() + make_interval(secs => $4))`,
};

/** Stores a sign-in under the hash of the secret in the browser's cookie. */
export async function insertOpenIdSignIn(
  db: Db,
  browserHash: Buffer,
  { next, requiresNewSignIn }: BegunOpenIdSignIn,
  lifetimeSeconds: number,
): Promise<void> {
  await runPrepared(db, INSERT, [browserHash, next, requiresNewSignIn, lifetimeSeconds]);
}

const TAKE = {
  name: 'take-openid-sign-in',
  text: `delete from openid_sign_ins where browser_hash = $1 and expires_at > now() returning next, asks_anew as "requiresNewSignIn"`,
};

/** Consumes the unexpired sign-in that a browser has begun, and returns the sign-in. */
export async function takeOpenIdSignIn(db: Db, browserHash: Buffer): Promise<BegunOpenIdSignIn | undefined> {
  const [row] = await runPrepared<BegunOpenIdSignIn>(db, TAKE, [browserHash]);
  return row;
}
