import type { Db } from '../infra/database.ts';

/** A signing key of the authorization server. */
export interface StoredOAuthKey {
  id: string;
  sealedSecret: Buffer;
  /** True if the key has begun to sign. */
  hasStarted: boolean;
}

/**
 * Returns all keys, newest first. `hasStarted` refers to the time of the statement, because the
 * transaction may have waited for a lock since its start.
 */
export async function listOAuthKeys(db: Db): Promise<StoredOAuthKey[]> {
  return db('oauth_keys')
    .select('id', 'sealed_secret as sealedSecret', db.raw('signs_from <= statement_timestamp() as "hasStarted"'))
    .orderBy([{ column: 'signs_from', order: 'desc' }, 'id']);
}

/** Returns the time at which each key begins to sign, newest first. */
export async function listOAuthKeyStarts(db: Db): Promise<{ id: string; signsFrom: Date }[]> {
  return db('oauth_keys')
    .select({ id: 'id', signsFrom: 'signs_from' })
    .orderBy([{ column: 'signs_from', order: 'desc' }, 'id']);
}

export async function insertOAuthKey(db: Db, key: Pick<StoredOAuthKey, 'id' | 'sealedSecret'>, startsInSeconds: number): Promise<void> {
  const signsFrom = db.raw('now() + make_interval(secs => ?)', [startsInSeconds]);
  await db('oauth_keys').insert({ id: key.id, sealed_secret: key.sealedSecret, signs_from: signsFrom });
}

/** Returns true if the newest key has signed for at least `seconds`, or if there is no key. */
export async function isOAuthKeyDue(db: Db, seconds: number): Promise<boolean> {
  const young = await db('oauth_keys').whereRaw('signs_from > now() - make_interval(secs => ?)', [seconds]).first('id');
  return young === undefined;
}

/** Deletes the keys whose successor has signed for at least `seconds`. */
export async function deleteFormerOAuthKeys(db: Db, seconds: number): Promise<void> {
  await db.raw(
    `delete from oauth_keys k where exists (
       select 1 from oauth_keys n where n.signs_from > k.signs_from and n.signs_from <= now() - make_interval(secs => ?))`,
    [seconds],
  );
}

/** Deletes all keys except this one. */
export async function deleteOtherOAuthKeys(db: Db, id: string): Promise<void> {
  await db('oauth_keys').whereNot({ id }).delete();
}

/** Takes the lock on changes of the keys, until the transaction ends. */
export async function lockOAuthKeys(db: Db): Promise<void> {
  await db.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', ['oauth keys']);
}
