import type { SignedInMember, SignInMethod } from '../domain/member.ts';
import { MEMBER_SESSION } from '../domain/member.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';
import { DASHBOARD_NEWS } from './dashboard-news.ts';

export interface NewMemberSession {
  tokenHash: Buffer;
  orgId: string;
  userId: string;
  method: SignInMethod;
  /** Source address of the sign-in. */
  source: string;
  userAgent: string;
}

/** Inserts a session. `provedSecondsAgo`: seconds since the member proved their identity. */
export async function insertMemberSession(db: Db, session: NewMemberSession, provedSecondsAgo: number): Promise<void> {
  const expires_at = db.raw('now() + make_interval(secs => ?)', [MEMBER_SESSION.maxSeconds]);
  const created_at = db.raw('now() - make_interval(secs => ?)', [provedSecondsAgo]);
  await db('member_sessions').insert({ ...toRow(session), expires_at, created_at });
}

const LIVE = `s.expires_at > now() and s.last_seen_at > now() - make_interval(secs => ${MEMBER_SESSION.idleSeconds})`;

const BY_TOKEN = {
  name: 'member-session-by-token',
  text: `select 'user' as type, m.user_id as id, m.org_id as "orgId", m.role, u.email, coalesce(m.display_name, u.display_name) as "displayName",
           s.id as "sessionId", o.name as "orgName", m.password_hash is not null as "hasPassword",
           extract(epoch from now() - s.created_at)::float8 as "sessionAgeSeconds", o.policies_version as "policiesVersion", now() as "seenAt",
           s.last_seen_at < now() - interval '1 minute' as "isToTouch"
         from member_sessions s
           join memberships m on m.org_id = s.org_id and m.user_id = s.user_id
           join users u on u.id = s.user_id
           join orgs o on o.id = s.org_id
         where s.token_hash = $1 and ${LIVE}`,
};

/**
 * Finds the member of a session that is not over. `isToTouch` is true if the recorded last use is
 * more than a minute old.
 */
export async function findMemberSession(db: Db, tokenHash: Buffer): Promise<(SignedInMember & { isToTouch: boolean }) | undefined> {
  const [row] = await runPrepared<SignedInMember & { isToTouch: boolean }>(db, BY_TOKEN, [tokenHash]);
  return row;
}

/** Records that a session is used now. */
export async function touchMemberSession(db: Db, id: string): Promise<void> {
  await db('member_sessions').where({ id }).update({ last_seen_at: db.fn.now() });
}

/** The fields of a session on the account page. */
export interface ListedSession {
  id: string;
  method: SignInMethod;
  source: string;
  userAgent: string;
  createdAt: Date;
  lastSeenAt: Date;
}

/** Returns the active sessions of a member, the most recently used first. */
export async function listMemberSessions(db: Db, orgId: string, userId: string): Promise<ListedSession[]> {
  return db('member_sessions as s')
    .select(columns<ListedSession>('id', 'method', 'source', 'userAgent', 'createdAt', 'lastSeenAt'))
    .where({ org_id: orgId, user_id: userId })
    .whereRaw(LIVE)
    .orderBy('last_seen_at', 'desc');
}

/** Deletes a session and ends the event streams of its open pages. */
export async function deleteMemberSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db('member_sessions').where({ token_hash: tokenHash }).delete().returning(ended(db));
}

/** Deletes the sessions of a member and ends the event streams of their open pages. */
export async function deleteMemberSessions(db: Db, orgId: string, userId: string): Promise<void> {
  await db('member_sessions').where({ org_id: orgId, user_id: userId }).delete().returning(ended(db));
}

/**
 * Notifies the event streams of a session that it has ended. Postgres sends the notification when
 * the transaction commits.
 */
function ended(db: Db) {
  return db.raw("pg_notify(?, org_id || '/sessions/' || id)", [DASHBOARD_NEWS]);
}

/** Deletes sessions that are over, and expired links. */
export async function deleteEndedMemberSessions(db: Db): Promise<void> {
  await db('member_sessions as s').whereRaw(`not (${LIVE})`).delete();
  await db('member_links').where('expires_at', '<=', db.fn.now()).delete();
  await db('setup_links').where('expires_at', '<=', db.fn.now()).delete();
}
