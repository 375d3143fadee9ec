import type { Connection } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** The connections in an end user's record (specification 2.5). */
export type ConnectionSummary = Pick<
  Connection,
  'id' | 'externalId' | 'displayName' | 'integrationName' | 'type' | 'status' | 'createdAt' | 'updatedAt'
>;

const COLUMNS = columns<ConnectionSummary & StoredHealth>(
  'id',
  'externalId',
  'displayName',
  'integrationName',
  'type',
  'status',
  'expiringAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
);

/** All of the end user's connections, oldest first. */
export async function listConnectionsOfEndUser(db: Db, orgId: string, endUserId: string): Promise<ConnectionSummary[]> {
  const rows: (ConnectionSummary & StoredHealth)[] = await db('connections')
    .select(COLUMNS)
    .where({ org_id: orgId, end_user_id: endUserId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }]);
  return rows.map((row) => ({ ...row, status: statusAt(row, new Date()) }));
}

/**
 * Deletes the end user's connections and returns their ids. Configurations that name one lose it.
 */
export async function deleteConnectionsOfEndUser(db: Db, orgId: string, endUserId: string): Promise<string[]> {
  const rows = await db('connections').where({ org_id: orgId, end_user_id: endUserId }).delete().returning('id');
  return rows.map((row) => row.id);
}
