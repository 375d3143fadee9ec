import type { Connection } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import type { Db } from '../infra/database.ts';
import { columnsSql } from './columns.ts';

/** The connections in an end user's record (specification 2.5). */
export type ConnectionSummary = Pick<
  Connection,
  'id' | 'externalId' | 'displayName' | 'integrationName' | 'type' | 'status' | 'createdAt' | 'updatedAt'
>;

const FIELDS = [
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
] as const satisfies readonly (keyof (ConnectionSummary & StoredHealth))[];

/** SQL: the connections of a row of `end_users` as JSON, oldest first. */
export const CONNECTIONS_OF_END_USER = `(
  select coalesce(json_agg(one order by "createdAt", id), '[]') from (
    select ${columnsSql<ConnectionSummary & StoredHealth>('c', ...FIELDS)} from connections c
    where c.org_id = end_users.org_id and c.end_user_id = end_users.id) one) as connections`;

/** A connection as `CONNECTIONS_OF_END_USER` returns it: times are text. */
export type ConnectionJson = {
  [Name in keyof (ConnectionSummary & StoredHealth)]: (ConnectionSummary & StoredHealth)[Name] extends Date | null
    ? string | Extract<(ConnectionSummary & StoredHealth)[Name], null>
    : (ConnectionSummary & StoredHealth)[Name];
};

/** Converts a connection that was read as JSON, and computes its current status. */
export function toConnectionSummary(json: ConnectionJson): ConnectionSummary {
  const { expiringAt, expiresAt, createdAt, updatedAt, ...rest } = json;
  const health = {
    status: rest.status,
    expiringAt: expiringAt ? new Date(expiringAt) : null,
    expiresAt: expiresAt ? new Date(expiresAt) : null,
  };
  return { ...rest, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt), status: statusAt(health, new Date()) };
}

/** Deletes the end user's connections and returns their ids. */
export async function deleteConnectionsOfEndUser(db: Db, orgId: string, endUserId: string): Promise<string[]> {
  const rows = await db('connections').where({ org_id: orgId, end_user_id: endUserId }).delete().returning('id');
  return rows.map((row) => row.id);
}
