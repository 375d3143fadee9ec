import type { Connection, ConnectionScope, ConnectionStatus } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import { type Db, runPrepared, type Statement } from '../infra/database.ts';
import { type ActivityRow, activityJson, recordedWith } from './activity.ts';
import { columnsSql, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

/** A connection with the external id of its end user. `status` is computed when it is read. */
export interface ListedConnection extends Connection {
  endUserExternalId: string | null;
}

/** Sealed credentials with their type and expiry. */
export interface StoredCredentials extends Omit<StoredHealth, 'status'>, Pick<Connection, 'type' | 'authMethodKey'> {
  sealedCredentials: Buffer;
}

export type NewConnection = Omit<Connection, 'status' | 'statusReason' | 'createdAt' | 'updatedAt'> &
  StoredCredentials & {
    /** The workspace integration that the account was connected for; null: any. */
    workspaceIntegrationId: string | null;
  };

type Row = ListedConnection & StoredHealth;

/** The columns of a connection. */
export const CONNECTION_FIELDS = [
  'id',
  'orgId',
  'workspaceId',
  'endUserId',
  'externalId',
  'displayName',
  'integrationName',
  'authMethodKey',
  'type',
  'status',
  'statusReason',
  'scope',
  'expiringAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof (Connection & StoredHealth))[];

const COLUMNS = columnsSql<Row>('c', ...CONNECTION_FIELDS);

const INSERT = {
  name: 'insert-connection',
  text: `with made as (
           insert into connections (id, org_id, workspace_id, end_user_id, external_id, display_name, integration_name, auth_method_key, type,
             scope, workspace_integration_id, sealed_credentials, expires_at, expiring_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning *),
         ${recordedWith('made', 15)}
         select ${COLUMNS}, u.external_id as "endUserExternalId" from made c left join end_users u on u.id = c.end_user_id`,
};

/**
 * Inserts a connection and records the events. Violates the constraint `connections_external` if
 * the scope already has a connection of that integration with that external id.
 */
export async function insertConnection(db: Db, connection: NewConnection, events: readonly ActivityRow[]): Promise<ListedConnection> {
  const { id, orgId, workspaceId, endUserId, externalId, displayName, integrationName, authMethodKey, type, scope } = connection;
  const { workspaceIntegrationId, sealedCredentials, expiresAt, expiringAt } = connection;
  const [row] = await runPrepared<Row>(db, INSERT, [
    ...[id, orgId, workspaceId, endUserId, externalId, displayName, integrationName, authMethodKey, type, scope],
    ...[workspaceIntegrationId, sealedCredentials, expiresAt, expiringAt, activityJson(events)],
  ]);
  return toListed(row!);
}

export async function findConnection(db: Db, orgId: string, id: string): Promise<ListedConnection | undefined> {
  const row: Row | undefined = await connections(db).where({ 'c.org_id': orgId, 'c.id': id }).first();
  return row && toListed(row);
}

/** The fields that identify a connection. */
export interface ConnectionKey extends Pick<Connection, 'orgId' | 'workspaceId' | 'integrationName' | 'externalId' | 'scope'> {
  endUserExternalId: string | null;
}

/** Finds the connection with exactly this key. */
export async function findConnectionInScope(db: Db, key: ConnectionKey): Promise<ListedConnection | undefined> {
  const { orgId, workspaceId, integrationName, externalId, scope, endUserExternalId } = key;
  const row: Row | undefined = await connections(db)
    .where({ 'c.org_id': orgId, 'c.integration_name': integrationName, 'c.external_id': externalId, 'c.scope': scope })
    .where(scope === 'ORGANIZATION' ? {} : { 'c.workspace_id': workspaceId })
    .where(scope === 'USER' ? { 'u.external_id': endUserExternalId } : {})
    .first();
  return row && toListed(row);
}

export async function listConnections(db: Db, orgId: string, ids: readonly string[]): Promise<ListedConnection[]> {
  if (ids.length === 0) return [];
  const rows: Row[] = await connections(db)
    .where({ 'c.org_id': orgId })
    .whereIn('c.id', [...ids]);
  return rows.map(toListed);
}

export interface ConnectionFilter {
  orgId: string;
  /**
   * Connections that calls in these workspaces may use, including organization-wide connections. An
   * empty list matches no connection.
   */
  workspaceIds?: readonly string[] | undefined;
  /** Connections of end users with this external id. */
  endUserExternalId?: string | undefined;
  integrationName?: string | undefined;
  scopes?: readonly ConnectionScope[] | undefined;
  /** The status at the time of the query. */
  status?: ConnectionStatus | undefined;
}

const DATED = "status = 'ACTIVE' and expiring_at is not null and expires_at is not null";

/** SQL conditions of the statuses that `statusAt` computes. */
export const STATUS_IS: Record<ConnectionStatus, string> = {
  ACTIVE: `status = 'ACTIVE' and not (${DATED} and least(expiring_at, expires_at) <= now())`,
  EXPIRING: `${DATED} and expiring_at <= now() and expires_at > now()`,
  ERROR: `status = 'ERROR' or (${DATED} and expires_at <= now())`,
  REVOKED: "status = 'REVOKED'",
};

/** Returns a page of connections, oldest first, with the exact total. */
export async function pageConnections(db: Db, filter: ConnectionFilter, page: PageRequest): Promise<Page<ListedConnection>> {
  const { orgId, workspaceIds, endUserExternalId, integrationName, scopes, status } = filter;
  if (workspaceIds?.length === 0) return { items: [], total: 0 };
  const all = db('connections').where(toRow({ orgId, integrationName }));
  if (scopes) all.whereIn('scope', [...scopes]);
  if (status !== undefined) all.andWhereRaw(`(${STATUS_IS[status]})`);
  if (workspaceIds) all.andWhere((where) => where.whereNull('workspace_id').orWhereIn('workspace_id', [...workspaceIds]));
  if (endUserExternalId !== undefined)
    all.whereIn('end_user_id', db('end_users').select('id').where({ org_id: orgId, external_id: endUserExternalId }));
  return pageOf(all, page, async (ids) => {
    const rows: Row[] = await connections(db).whereIn('c.id', ids).orderBy(oldestFirst('c'));
    return rows.map(toListed);
  });
}

/** Returns the names of the integrations for which the organization has connections. */
export async function listConnectedIntegrations(db: Db, orgId: string): Promise<string[]> {
  return db('connections').distinct('integration_name').where({ org_id: orgId }).orderBy('integration_name').pluck('integration_name');
}

/**
 * Finds the organization-wide connection with that external id. Without an external id, finds the
 * only organization-wide connection of the integration; undefined if there are several.
 */
export async function findOrganizationConnection(
  db: Db,
  { orgId, integrationName, externalId }: Pick<Connection, 'orgId' | 'integrationName'> & { externalId?: string | undefined },
): Promise<ListedConnection | undefined> {
  const query = connections(db).where({ 'c.org_id': orgId, 'c.integration_name': integrationName, 'c.scope': 'ORGANIZATION' });
  if (externalId !== undefined) query.andWhere({ 'c.external_id': externalId });
  const [only, another]: Row[] = await query.limit(2);
  return only && !another ? toListed(only) : undefined;
}

const REPLACE = {
  name: 'replace-connection-credentials',
  text: `with changed as (
           update connections set type = $3, auth_method_key = $4, display_name = $5, sealed_credentials = $6, expires_at = $7, expiring_at = $8,
             status = 'ACTIVE', status_reason = null, refreshing_until = null, credentials_version = credentials_version + 1, updated_at = now()
           where org_id = $1 and id = $2 returning *),
         ${recordedWith('changed', 9)}
         select ${COLUMNS}, u.external_id as "endUserExternalId" from changed c left join end_users u on u.id = c.end_user_id`,
};

/**
 * Replaces the credentials and the name of a connection, makes the connection active, and records
 * the events. Returns undefined if the connection is gone.
 */
export async function replaceStoredCredentials(
  db: Db,
  { orgId, id }: Pick<Connection, 'orgId' | 'id'>,
  credentials: StoredCredentials & Pick<Connection, 'displayName'>,
  events: readonly ActivityRow[],
): Promise<ListedConnection | undefined> {
  const { type, authMethodKey, displayName, sealedCredentials, expiresAt, expiringAt } = credentials;
  const stored = [type, authMethodKey, displayName, sealedCredentials, expiresAt, expiringAt];
  const [row] = await runPrepared<Row>(db, REPLACE, [orgId, id, ...stored, activityJson(events)]);
  return row && toListed(row);
}

const setStatus = (name: string, from: ConnectionStatus, to: ConnectionStatus): Statement => ({
  name,
  text: `with changed as (
           update connections set status = '${to}', status_reason = $2, updated_at = now() where id = $1 and status = '${from}' returning id),
         ${recordedWith('changed', 3)} select id from changed`,
});
const REFUSED = setStatus('mark-connection-refused', 'ACTIVE', 'ERROR');
const ACCEPTED = setStatus('mark-connection-accepted', 'ERROR', 'ACTIVE');

/**
 * Sets an active connection to ERROR, because the third party refused the credentials. Changes and
 * records nothing for another status.
 */
export async function markConnectionRefused(db: Db, id: string, reason: string, events: readonly ActivityRow[]): Promise<void> {
  await runPrepared(db, REFUSED, [id, reason, activityJson(events)]);
}

/**
 * Sets a connection in ERROR to ACTIVE, because the third party accepted the credentials. Changes
 * and records nothing for another status.
 */
export async function markConnectionAccepted(db: Db, id: string, events: readonly ActivityRow[]): Promise<void> {
  await runPrepared(db, ACCEPTED, [id, null, activityJson(events)]);
}

/** Deletes a connection. */
export async function deleteConnection(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('connections').where({ org_id: orgId, id }).delete()) > 0;
}

function connections(db: Db) {
  return db('connections as c')
    .leftJoin('end_users as u', 'u.id', 'c.end_user_id')
    .select(db.raw(`${COLUMNS}, u.external_id as "endUserExternalId"`));
}

function toListed({ expiringAt, expiresAt, ...row }: Row): ListedConnection {
  return { ...row, status: statusAt({ status: row.status, expiringAt, expiresAt }, new Date()) };
}
