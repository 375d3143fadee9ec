import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** What choosing a connection needs of it; credentials stay sealed in the table. */
export interface Connection {
  id: string;
  orgId: string;
  workspaceId: string | null;
  endUserId: string | null;
  externalId: string;
  displayName: string;
  integrationName: string;
  status: 'ACTIVE' | 'EXPIRING' | 'ERROR' | 'REVOKED';
}

const COLUMNS = columns<Connection>('id', 'orgId', 'workspaceId', 'endUserId', 'externalId', 'displayName', 'integrationName', 'status');

export async function findConnection(db: Db, orgId: string, id: string): Promise<Connection | undefined> {
  return db('connections').select(COLUMNS).where({ org_id: orgId, id }).first();
}

export async function listConnections(db: Db, orgId: string, ids: readonly string[]): Promise<Connection[]> {
  return ids.length === 0
    ? []
    : db('connections')
        .select(COLUMNS)
        .where({ org_id: orgId })
        .whereIn('id', [...ids]);
}
