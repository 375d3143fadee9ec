import type { ConnectSession } from '../domain/connect-session.ts';
import type { Db } from '../infra/database.ts';
import { columnsSql, toRow } from './columns.ts';

const STORED = columnsSql<ConnectSession>(
  'connect_sessions',
  'id',
  'orgId',
  'workspaceId',
  'integrationName',
  'workspaceIntegrationId',
  'authMethodKey',
  'usedMethodKey',
  'consentProps',
  'externalId',
  'connectionName',
  'scope',
  'endUserId',
  'successRedirectUri',
  'errorRedirectUri',
  'connectionId',
  'createdAt',
  'expiresAt',
);

const OPEN = "connect_sessions.status in ('PENDING', 'CONNECTING')";
const TOO_LATE = `${OPEN} and connect_sessions.expires_at <= now()`;

/** An open session counts as failed after its expiry. */
const COLUMNS = `${STORED},
  case when ${TOO_LATE} then 'FAILED' else connect_sessions.status end as status,
  case when ${TOO_LATE} then 'The link expired before an account was connected.' else connect_sessions.error end as error`;

export type NewConnectSession = Omit<
  ConnectSession,
  'id' | 'status' | 'usedMethodKey' | 'consentProps' | 'connectionId' | 'error' | 'createdAt' | 'expiresAt'
> & {
  /** Null if another token opens the page, for example the token of a portal. */
  tokenHash: Buffer | null;
  expiresInSeconds: number;
};

const KEPT_AFTER_EXPIRY = '7 days';

/** Inserts a session, and deletes old sessions of the workspace. */
export async function insertConnectSession(db: Db, { expiresInSeconds, ...session }: NewConnectSession): Promise<ConnectSession> {
  await db('connect_sessions')
    .where({ workspace_id: session.workspaceId })
    .whereRaw(`expires_at < now() - interval '${KEPT_AFTER_EXPIRY}'`)
    .delete();
  const [row] = await db('connect_sessions')
    .insert({ ...toRow(session), expires_at: db.raw('now() + make_interval(secs => ?)', [expiresInSeconds]) })
    .returning(db.raw(COLUMNS));
  return row;
}

export async function findConnectSession(db: Db, orgId: string, id: string): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ org_id: orgId, id }).first();
}

/** Finds the session with this token. */
export async function findConnectSessionByTokenHash(db: Db, tokenHash: Buffer): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ token_hash: tokenHash }).first();
}

/** Finds the session whose consent request has this OAuth `state`. */
export async function findConnectSessionByState(db: Db, stateHash: Buffer): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ state_hash: stateHash }).first();
}

/**
 * Records a consent request with a new OAuth `state`, which invalidates the previous `state`.
 * Returns false if the session has ended or has expired.
 */
export async function markConnecting(
  db: Db,
  id: string,
  flow: Pick<ConnectSession, 'consentProps'> & { usedMethodKey: string; stateHash: Buffer },
): Promise<boolean> {
  return (await open(db, { id }).update({ status: 'CONNECTING', ...toRow(flow, ['consentProps']) })) > 0;
}

/**
 * Consumes an OAuth `state` and returns its session. Returns undefined if the `state` was used or
 * replaced, or if the session has ended or has expired.
 */
export async function takeState(db: Db, stateHash: Buffer): Promise<ConnectSession | undefined> {
  const [row] = await open(db, { state_hash: stateHash }).update({ state_hash: null }).returning(db.raw(COLUMNS));
  return row;
}

/** Completes a session. Returns false if the session has ended or has expired. */
export async function markCompleted(db: Db, id: string, outcome: { connectionId: string; usedMethodKey: string }): Promise<boolean> {
  return (await open(db, { id }).update({ status: 'COMPLETED', state_hash: null, ...toRow(outcome) })) > 0;
}

/** Marks a session as failed. Changes nothing if the session has ended or has expired. */
export async function markFailed(db: Db, id: string, error: string): Promise<void> {
  await open(db, { id }).update({ status: 'FAILED', state_hash: null, error });
}

function open(db: Db, where: object) {
  return db('connect_sessions').where(where).whereRaw(`${OPEN} and connect_sessions.expires_at > now()`);
}
