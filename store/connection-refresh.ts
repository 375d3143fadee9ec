import type { Connection } from '../domain/connection.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { type ActivityRow, activityJson, recordedWith } from './activity.ts';
import { columnsSql } from './columns.ts';

/** A connection with the fields for refreshing its access token. */
export interface RefreshableConnection
  extends Pick<Connection, 'id' | 'orgId' | 'workspaceId' | 'integrationName' | 'authMethodKey' | 'externalId' | 'displayName' | 'scope'> {
  sealedCredentials: Buffer;
  expiresAt: Date | null;
}

const FIELDS = columnsSql<RefreshableConnection>(
  'connections',
  ...(['id', 'orgId', 'workspaceId', 'integrationName', 'authMethodKey', 'externalId', 'displayName', 'scope'] as const),
  ...(['sealedCredentials', 'expiresAt'] as const),
);

const LEASE = {
  name: 'lease-connection-refresh',
  text: `update connections set refreshing_until = now() + make_interval(secs => $3), refresh_tried_at = now()
         where id = $1 and (refreshing_until is null or refreshing_until < now())
           and expires_at < now() + make_interval(secs => $2) and status = 'ACTIVE'
         returning ${FIELDS}`,
};

/**
 * Takes the refresh lease of a connection whose access token expires within `withinSeconds`.
 * Undefined if another process holds it or no refresh is due.
 */
export async function leaseRefresh(
  db: Db,
  id: string,
  { withinSeconds, leaseSeconds }: { withinSeconds: number; leaseSeconds: number },
): Promise<RefreshableConnection | undefined> {
  const [row] = await runPrepared<RefreshableConnection>(db, LEASE, [id, withinSeconds, leaseSeconds]);
  return row;
}

const STATE = {
  name: 'connection-refresh-state',
  text: `select ${FIELDS}, status, status_reason as "statusReason", refreshing_until > now() as "isRefreshing"
         from connections where id = $1`,
};

/** A connection and the state of its refresh. */
export interface RefreshState extends RefreshableConnection, Pick<Connection, 'status' | 'statusReason'> {
  isRefreshing: boolean | null;
}

export async function findRefreshState(db: Db, id: string): Promise<RefreshState | undefined> {
  const [row] = await runPrepared<RefreshState>(db, STATE, [id]);
  return row;
}

/**
 * Stores refreshed credentials and releases the lease. Changes nothing if the credentials were
 * replaced meanwhile, as by connecting again.
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

/** Releases the lease. */
export async function endRefresh(
  db: Db,
  { id, sealedCredentials }: Pick<RefreshableConnection, 'id' | 'sealedCredentials'>,
): Promise<void> {
  await db('connections').where({ id, sealed_credentials: sealedCredentials }).update({ refreshing_until: null });
}

const FAIL = {
  name: 'fail-connection-refresh',
  text: `with changed as (
           update connections set refreshing_until = null, status = 'ERROR', status_reason = $3, updated_at = now()
           where id = $1 and sealed_credentials = $2 returning id),
         ${recordedWith('changed', 4)} select id from changed`,
};

/**
 * Releases the lease, marks the connection as in need of reconnecting, and records the events.
 * Changes nothing if the credentials were replaced meanwhile.
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
 * Ids of connections whose access token expires within `withinSeconds`, and whose last attempt is
 * more than `pauseSeconds` ago.
 */
export async function listDueRefreshes(
  db: Db,
  { withinSeconds, pauseSeconds, limit }: { withinSeconds: number; pauseSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(db, DUE, [withinSeconds, pauseSeconds, limit]);
  return rows.map(({ id }) => id);
}
