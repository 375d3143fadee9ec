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

/** An open session whose time is up has failed, whether or not anybody has looked. */
const COLUMNS = `${STORED},
  case when ${TOO_LATE} then 'FAILED' else connect_sessions.status end as status,
  case when ${TOO_LATE} then 'The link expired before an account was connected.' else connect_sessions.error end as error`;

export type NewConnectSession = Omit<
  ConnectSession,
  'id' | 'status' | 'usedMethodKey' | 'connectionId' | 'error' | 'createdAt' | 'expiresAt'
> & {
  /** Null where another token opens the page, as that of a portal does. */
  tokenHash: Buffer | null;
  expiresInSeconds: number;
};

/** How long the outcome of a session can be read. */
const KEPT = '7 days';

/** Begins a session, and forgets those of the workspace that ended long ago. */
export async function insertConnectSession(db: Db, { expiresInSeconds, ...session }: NewConnectSession): Promise<ConnectSession> {
  await db('connect_sessions').where({ workspace_id: session.workspaceId }).whereRaw(`expires_at < now() - interval '${KEPT}'`).delete();
  const [row] = await db('connect_sessions')
    .insert({ ...toRow(session), expires_at: db.raw('now() + make_interval(secs => ?)', [expiresInSeconds]) })
    .returning(db.raw(COLUMNS));
  return row;
}

export async function findConnectSession(db: Db, orgId: string, id: string): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ org_id: orgId, id }).first();
}

/** The session of a token; whoever holds that may see it. */
export async function findConnectSessionByTokenHash(db: Db, tokenHash: Buffer): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ token_hash: tokenHash }).first();
}

/** The session in which consent is being asked under this state. */
export async function findConnectSessionByState(db: Db, stateHash: Buffer): Promise<ConnectSession | undefined> {
  return db('connect_sessions').select(db.raw(COLUMNS)).where({ state_hash: stateHash }).first();
}

/** Marks that consent is being asked, under a new state; the one before no longer counts. False when the session is over. */
export async function markConnecting(db: Db, id: string, flow: { usedMethodKey: string; stateHash: Buffer }): Promise<boolean> {
  return (await open(db, { id }).update({ status: 'CONNECTING', ...toRow(flow) })) > 0;
}

/** Uses a state up; undefined when it was used, replaced, or came too late. */
export async function takeState(db: Db, stateHash: Buffer): Promise<ConnectSession | undefined> {
  const [row] = await open(db, { state_hash: stateHash }).update({ state_hash: null }).returning(db.raw(COLUMNS));
  return row;
}

/** Ends a session with an account, in the transaction that links it; false when it is over already, or its time is up. */
export async function markCompleted(db: Db, id: string, outcome: { connectionId: string; usedMethodKey: string }): Promise<boolean> {
  return (await open(db, { id }).update({ status: 'COMPLETED', state_hash: null, ...toRow(outcome) })) > 0;
}

/** Ends a session without an account. */
export async function markFailed(db: Db, id: string, error: string): Promise<void> {
  await open(db, { id }).update({ status: 'FAILED', state_hash: null, error });
}

function open(db: Db, where: object) {
  return db('connect_sessions').where(where).whereRaw(`${OPEN} and connect_sessions.expires_at > now()`);
}
