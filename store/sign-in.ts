import type { Identity } from '../domain/oauth/sign-in.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql } from './columns.ts';

export interface NewSignInCode {
  /** Hash of the secret in the browser's cookie. */
  browserHash: Buffer;
  email: string;
  codeHash: Buffer;
  /** Source address of the request. */
  source: string;
  guesses: number;
  lifetimeSeconds: number;
}

const INSERT_CODE = {
  name: 'insert-sign-in-code',
  text: `insert into sign_in_codes (browser_hash, email, code_hash, source, guesses_left, expires_at)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
};

export async function insertSignInCode(db: Db, code: NewSignInCode): Promise<void> {
  const { browserHash, email, codeHash, source, guesses, lifetimeSeconds } = code;
  await runPrepared(db, INSERT_CODE, [browserHash, email, codeHash, source, guesses, lifetimeSeconds]);
}

const COUNT_CODES = {
  name: 'count-sign-in-codes',
  text: `select count(*) filter (where email = $1)::int as "ofEmail", count(*) filter (where source = $2)::int as "ofSource"
         from sign_in_codes where (email = $1 or source = $2) and created_at > now() - interval '1 hour'`,
};

/** Returns the numbers of codes in the last hour for an e-mail address and for a source address. */
export async function countSignInCodes(db: Db, email: string, source: string): Promise<{ ofEmail: number; ofSource: number }> {
  const [row] = await runPrepared<{ ofEmail: number; ofSource: number }>(db, COUNT_CODES, [email, source]);
  return row!;
}

/**
 * Locks an e-mail address until the transaction ends, so that concurrent requests for the address
 * are counted exactly.
 */
export async function lockSignInAddress(db: Db, email: string): Promise<void> {
  await db.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`sign-in ${email}`]);
}

const TAKE_GUESS = {
  name: 'take-sign-in-guess',
  text: `update sign_in_codes set guesses_left = guesses_left - 1
         where browser_hash = $1 and guesses_left > 0 and spent_at is null and expires_at > now()
         returning email, code_hash as "codeHash", guesses_left as "guessesLeft"`,
};

export interface GuessedCode {
  email: string;
  codeHash: Buffer;
  guessesLeft: number;
}

/** Uses up one guess at the browser's code; undefined if no code is valid or no guess is left. */
export async function takeSignInGuess(db: Db, browserHash: Buffer): Promise<GuessedCode | undefined> {
  const [row] = await runPrepared<GuessedCode>(db, TAKE_GUESS, [browserHash]);
  return row;
}

/**
 * Marks the code of this browser as spent; false if it was already spent. Keeps the row, because
 * the rate limit counts the codes of the last hour.
 */
export async function spendSignInCode(db: Db, browserHash: Buffer): Promise<boolean> {
  return (await db('sign_in_codes').where({ browser_hash: browserHash, spent_at: null }).update({ spent_at: db.fn.now() })) > 0;
}

const INSERT_SESSION = {
  name: 'insert-sign-in-session',
  text: `insert into sign_in_sessions (token_hash, identity_id, authenticated_at, expires_at)
         values ($1, $2, case when $4 then now() when $5::float8 is not null then least(now(), to_timestamp($5::float8)) end,
           now() + make_interval(secs => $3))`,
};

/** Time at which a person proved their identity, in Unix seconds; undefined if not known. */
export type Authenticated = 'now' | number | undefined;

export async function insertSignInSession(
  db: Db,
  { tokenHash, identityId, authenticated }: { tokenHash: Buffer; identityId: string; authenticated: Authenticated },
  lifetimeSeconds: number,
): Promise<void> {
  const [isNow, at] = [authenticated === 'now', typeof authenticated === 'number' ? authenticated : null];
  await runPrepared(db, INSERT_SESSION, [tokenHash, identityId, lifetimeSeconds, isNow, at]);
}

/** The session of a browser, with the identity that signed in. */
export interface SignInSession {
  identity: Identity;
  /** Seconds since the person proved their identity; null if not known. */
  ageSeconds: number | null;
  /** True if the person proved their identity in the sign-in that began the session. */
  isAuthenticatedAtStart: boolean;
}

/** Maximum duration of a sign-in at an OpenID provider, including the difference of the clocks. */
const SIGN_IN_TAKES = '15 minutes';

const SESSION = {
  name: 'session-by-token',
  text: `select ${columnsSql<Identity>('i', 'id', 'issuer', 'subject', 'email')},
           extract(epoch from now() - s.authenticated_at)::float8 as "ageSeconds",
           coalesce(s.authenticated_at > s.created_at - interval '${SIGN_IN_TAKES}', false) as "isAuthenticatedAtStart"
         from sign_in_sessions s join identities i on i.id = s.identity_id
         where s.token_hash = $1 and s.expires_at > now()`,
};

/** Finds the unexpired session with this token hash. */
export async function findSignInSession(db: Db, tokenHash: Buffer): Promise<SignInSession | undefined> {
  const [row] = await runPrepared<Identity & Omit<SignInSession, 'identity'>>(db, SESSION, [tokenHash]);
  if (!row) return undefined;
  const { ageSeconds, isAuthenticatedAtStart, ...identity } = row;
  return { identity, ageSeconds, isAuthenticatedAtStart };
}

export async function deleteSignInSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db('sign_in_sessions').where({ token_hash: tokenHash }).delete();
}

/** Deletes expired sessions and sign-ins, and the codes that the rate limit no longer counts. */
export async function deleteExpiredSignIn(db: Db): Promise<void> {
  await db('openid_sign_ins').where('expires_at', '<=', db.fn.now()).delete();
  await db('sign_in_codes').whereRaw(`created_at < now() - interval '1 hour'`).delete();
  await db('sign_in_sessions').where('expires_at', '<=', db.fn.now()).delete();
}
