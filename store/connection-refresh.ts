import type { Connection } from '../domain/connection.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { type ActivityRow, activityJson, recordedWith } from './activity.ts';
import { columnsSql } from './columns.ts';

/** A connection with the fields for refreshing its access token. */
export interface RefreshableConnection
  extends Pick<Connection, 'id' | 'orgId' | 'workspaceId' | 'integrationName' | 'authMethodKey' | 'externalId' | 'displayName' | 'scope'>,
    Pick<Connection, 'status' | 'statusReason'> {
  sealedCredentials: Buffer;
  expiresAt: Date | null;
}

const FIELDS = columnsSql<RefreshableConnection>(
  'connections',
  ...(['id', 'orgId', 'workspaceId', 'integrationName', 'authMethodKey', 'externalId', 'displayName', 'scope'] as const),
  ...(['status', 'statusReason', 'sealedCredentials', 'expiresAt'] as const),
);

const LEASE = {
  name: 'lease-connection-refresh',
  text: `update connections set refreshing_until = now() + make_interval(secs => $3), refresh_tried_at = now()
         where id = $1 and (refreshing_until is null or refreshing_until < now())
           and (expires_at < now() + make_interval(secs => $2) or sealed_credentials = $4)
           and (status = 'ACTIVE' or (status = 'ERROR' and status_reason is null))
         returning ${FIELDS}`,
};

/**
 * The reason for a refresh: the access expires within these seconds, or these credentials were
 * refused.
 */
export type DueRefresh = { withinSeconds: number } | { refusedCredentials: Buffer };

/**
 * Takes the refresh lease of a connection. Returns undefined if another process holds the lease, no
 * refresh is due, or the account must be connected again.
 */
export async function leaseRefresh(db: Db, id: string, due: DueRefresh, leaseSeconds: number): Promise<RefreshableConnection | undefined> {
  const [withinSeconds, refused] = 'withinSeconds' in due ? [due.withinSeconds, null] : [null, due.refusedCredentials];
  const [row] = await runPrepared<RefreshableConnection>(db, LEASE, [id, withinSeconds, leaseSeconds, refused]);
  return row;
}

const STATE = {
  name: 'connection-refresh-state',
  text: `select ${FIELDS}, refreshing_until > now() as "isRefreshing"
         from connections where id = $1`,
};

/** A connection and the state of its refresh. */
export interface RefreshState extends RefreshableConnection {
  isRefreshing: boolean | null;
}

export async function findRefreshState(db: Db, id: string): Promise<RefreshState | undefined> {
  const [row] = await runPrepared<RefreshState>(db, STATE, [id]);
  return row;
}

/**
 * Stores refreshed credentials and releases the lease. Changes nothing if the credentials were
 * replaced in the meantime.
 */
export async function storeRefreshed(
  db: Db,
  { id, sealedCredentials: former }: Pick<RefreshableConnection, 'id' | 'sealedCredentials'>,
  { sealedCredentials, expiresAt }: Pick<RefreshableConnection, 'sealedCredentials' | 'expiresAt'>,
): Promise<void> {
  await db('connections')
    .where({ id, sealed_credentials: former })
    .update({ sealed_credentials: sealedCredentials, expires_at: expiresAt, refreshing_until: null, updated_at: db.fn.now() });
}

/** Releases the lease. Changes nothing if the credentials were replaced in the meantime. */
export async function endRefresh(
  db: Db,
  { id, sealedCredentials }: Pick<RefreshableConnection, 'id' | 'sealedCredentials'>,
): Promise<void> {
  await db('connections').where({ id, sealed_credentials: sealedCredentials }).update({ refreshing_until: null });
}

const FAIL = {
  name: 'fail-connection-refresh',
  text: `with changed as (
           update connections set refreshing_until = null, status = 'ERROR', status_reason = $3, expires_at = least(expires_at, now()),
             updated_at = now()
           where id = $1 and sealed_credentials = $2 returning id),
         ${recordedWith('changed', 4)} select id from changed`,
};

/**
 * Releases the lease, ends the access, and marks the connection for reconnecting. Changes nothing
 * if the credentials were replaced in the meantime.
 */
export async function failRefresh(
  db: Db,
  { id, sealedCredentials }: Pick<RefreshableConnection, 'id' | 'sealedCredentials'>,
  reason: string,
  events: readonly ActivityRow[],
): Promise<void> {
  await runPrepared(db, FAIL, [id, sealedCredentials, reason, activityJson(events)]);
}

const DUE = {
  name: 'connections-to-refresh',
  text: `select id from connections
         where expires_at is not null and expiring_at is null and status = 'ACTIVE' and expires_at < now() + make_interval(secs => $1)
           and (refreshing_until is null or refreshing_until < now())
           and (refresh_tried_at is null or refresh_tried_at < now() - make_interval(secs => $2))
         order by expires_at limit $3`,
};

/**
 * Returns ids of active connections whose access can be refreshed and expires within
 * `withinSeconds`. Skips connections that were tried in the last `pauseSeconds`.
 */
export async function listDueRefreshes(
  db: Db,
  { withinSeconds, pauseSeconds, limit }: { withinSeconds: number; pauseSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(db, DUE, [withinSeconds, pauseSeconds, limit]);
  return rows.map(({ id }) => id);
}

/** Makes the connections that failed for this reason active again. */
export async function resumeRefreshes(
  db: Db,
  { orgId, integrationName }: Pick<Connection, 'orgId' | 'integrationName'>,
  reason: string,
): Promise<void> {
  await db('connections')
    .where({ org_id: orgId, integration_name: integrationName, status: 'ERROR', status_reason: reason })
    .update({ status: 'ACTIVE', status_reason: null, updated_at: db.fn.now() });
}
