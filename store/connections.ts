import type { Connection } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import type { Db } from '../infra/database.ts';
import { columnsSql, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

/** A connection for lists, with its status at the time of the query. */
export interface ListedConnection extends Connection {
  endUserExternalId: string | null;
}

/** Sealed credentials and their expiry. */
export interface StoredCredentials extends Omit<StoredHealth, 'status'>, Pick<Connection, 'type' | 'authMethodKey'> {
  sealedCredentials: Buffer;
}

export type NewConnection = Omit<Connection, 'status' | 'statusReason' | 'createdAt' | 'updatedAt'> &
  StoredCredentials & {
    /** The configured instance it belongs to; null for any. */
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

/**
 * Violates the constraint `connections_external` for a second connection of that integration and
 * external id in its scope.
 */
export async function insertConnection(db: Db, connection: NewConnection): Promise<ListedConnection> {
  await db('connections').insert(toRow(connection));
  return (await findConnection(db, connection.orgId, connection.id))!;
}

export async function findConnection(db: Db, orgId: string, id: string): Promise<ListedConnection | undefined> {
  const row: Row | undefined = await connections(db).where({ 'c.org_id': orgId, 'c.id': id }).first();
  return row && toListed(row);
}

/** The unique key of a connection, by external ids. */
export interface ConnectionKey extends Pick<Connection, 'orgId' | 'workspaceId' | 'integrationName' | 'externalId' | 'scope'> {
  endUserExternalId: string | null;
}

/** The connection of that integration and external id in exactly that scope. */
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
   * Connections that calls in these workspaces may use: their own and the organization-wide ones.
   * Empty: none.
   */
  workspaceIds?: readonly string[] | undefined;
  /** Connections of end users with this external id. */
  endUserExternalId?: string | undefined;
  integrationName?: string | undefined;
}

/** Oldest first, with the exact total. */
export async function pageConnections(db: Db, filter: ConnectionFilter, page: PageRequest): Promise<Page<ListedConnection>> {
  const { orgId, workspaceIds, endUserExternalId, integrationName } = filter;
  if (workspaceIds?.length === 0) return { items: [], total: 0 };
  const all = db('connections').where({ org_id: orgId });
  if (workspaceIds) all.andWhere((where) => where.whereNull('workspace_id').orWhereIn('workspace_id', [...workspaceIds]));
  if (integrationName !== undefined) all.andWhere({ integration_name: integrationName });
  if (endUserExternalId !== undefined)
    all.whereIn('end_user_id', db('end_users').select('id').where({ org_id: orgId, external_id: endUserExternalId }));
  return pageOf(all, page, async (ids) => {
    const rows: Row[] = await connections(db).whereIn('c.id', ids).orderBy(oldestFirst('c'));
    return rows.map(toListed);
  });
}

/**
 * The organization-wide connection with that external id or, without one, the only one of the
 * integration.
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

/**
 * Replaces the credentials and the name of a connection, which becomes active. Undefined when it is
 * gone.
 */
export async function replaceStoredCredentials(
  db: Db,
  orgId: string,
  id: string,
  credentials: StoredCredentials & Pick<Connection, 'displayName'>,
): Promise<ListedConnection | undefined> {
  await db('connections')
    .where({ org_id: orgId, id })
    .update({
      ...toRow(credentials),
      ...{
        status: 'ACTIVE',
        status_reason: null,
        refreshing_until: null,
        credentials_version: db.raw('credentials_version + 1'),
        updated_at: db.fn.now(),
      },
    });
  return findConnection(db, orgId, id);
}

/** Marks that the third party refused the credentials: the connection must be reconnected. */
export async function markConnectionRefused(db: Db, id: string): Promise<void> {
  await db('connections').where({ id, status: 'ACTIVE' }).update({ status: 'ERROR', updated_at: db.fn.now() });
}

/** Marks that the third party accepted credentials that it had refused. */
export async function markConnectionAccepted(db: Db, id: string): Promise<void> {
  await db('connections').where({ id, status: 'ERROR' }).update({ status: 'ACTIVE', status_reason: null, updated_at: db.fn.now() });
}

/** Deletes the connection. Configurations that name it lose it. False when it is gone. */
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
