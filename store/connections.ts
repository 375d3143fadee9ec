import type { Connection } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import type { Db } from '../infra/database.ts';
import { columnsSql, toRow } from './columns.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

/** A connection as people see it; its status is the one of this moment. */
export interface ListedConnection extends Connection {
  endUserExternalId: string | null;
}

/** What is sealed, and until when it is good. */
export interface StoredCredentials extends Omit<StoredHealth, 'status'>, Pick<Connection, 'type' | 'authMethodKey'> {
  sealedCredentials: Buffer;
}

export type NewConnection = Omit<Connection, 'status' | 'createdAt' | 'updatedAt'> &
  StoredCredentials & {
    /** The configured instance that it was made for; null for any. */
    workspaceIntegrationId: string | null;
  };

type Row = ListedConnection & StoredHealth;

/** What is read of every connection. */
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
  'scope',
  'expiringAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof (Connection & StoredHealth))[];

const COLUMNS = columnsSql<Row>('c', ...CONNECTION_FIELDS);

/** Throws a broken constraint `connections_external` for a second one of that integration and external id in its scope. */
export async function insertConnection(db: Db, connection: NewConnection): Promise<ListedConnection> {
  await db('connections').insert(toRow(connection));
  return (await findConnection(db, connection.orgId, connection.id))!;
}

export async function findConnection(db: Db, orgId: string, id: string): Promise<ListedConnection | undefined> {
  const row: Row | undefined = await connections(db).where({ 'c.org_id': orgId, 'c.id': id }).first();
  return row && toListed(row);
}

/** What makes a connection the only one of its kind, by external ids. */
export interface ConnectionKey extends Pick<Connection, 'orgId' | 'workspaceId' | 'integrationName' | 'externalId' | 'scope'> {
  endUserExternalId: string | null;
}

/** The one connection of that integration and external id in exactly that scope. */
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
  /** Those that calls in these workspaces may use: their own and the organization-wide ones; no workspace may use none. */
  workspaceIds?: readonly string[] | undefined;
  /** Those of end users with this external id. */
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

/** The organization-wide connection of that external id or, without one, the only one of the integration. */
export async function findOrganizationConnection(
  db: Db,
  { orgId, integrationName, externalId }: Pick<Connection, 'orgId' | 'integrationName'> & { externalId?: string | undefined },
): Promise<ListedConnection | undefined> {
  const query = connections(db).where({ 'c.org_id': orgId, 'c.integration_name': integrationName, 'c.scope': 'ORGANIZATION' });
  if (externalId !== undefined) query.andWhere({ 'c.external_id': externalId });
  const [only, another]: Row[] = await query.limit(2);
  return only && !another ? toListed(only) : undefined;
}

/** Gives a connection other credentials, and a name; it is active again. Undefined when it is gone. */
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
      ...{ status: 'ACTIVE', credentials_version: db.raw('credentials_version + 1'), updated_at: db.fn.now() },
    });
  return findConnection(db, orgId, id);
}

/** After the third party refused the credentials: the connection needs reconnecting. */
export async function markConnectionRefused(db: Db, id: string): Promise<void> {
  await db('connections').where({ id, status: 'ACTIVE' }).update({ status: 'ERROR', updated_at: db.fn.now() });
}

/** After the third party took credentials that it had refused before. */
export async function markConnectionAccepted(db: Db, id: string): Promise<void> {
  await db('connections').where({ id, status: 'ERROR' }).update({ status: 'ACTIVE', updated_at: db.fn.now() });
}

/** Deletes the connection; what was configured with it has none then. False when it is gone. */
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
