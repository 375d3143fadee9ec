import type { Connection } from '../domain/connection.ts';
import { type StoredHealth, statusAt } from '../domain/connection-status.ts';
import { type Db, runPrepared, type Statement } from '../infra/database.ts';
import { columnsSql } from './columns.ts';
import { CONNECTION_FIELDS } from './connections.ts';

/** A connection with its sealed credentials, for a call. */
export interface UsableConnection extends Connection {
  sealedCredentials: Buffer;
  expiresAt: Date | null;
  /** Incremented each time the connection is reconnected, possibly to another account. */
  credentialsVersion: number;
}

const SELECT = `select ${columnsSql<UsableConnection & StoredHealth>('c', ...CONNECTION_FIELDS, 'sealedCredentials', 'credentialsVersion')} from connections c`;

/** The context in which a connection is used. */
export interface ConnectionContext {
  orgId: string;
  workspaceId: string;
  integrationName: string;
  /** External id of the end user. */
  endUserId: string | null;
  workspaceIntegrationId: string | null;
}

/** A connection whose access has expired and cannot be refreshed is not healthy. */
const HEALTHY = `c.status in ('ACTIVE', 'EXPIRING') and (c.expiring_at is null or c.expires_at > now())`;

async function usable(db: Db, statement: Statement, values: unknown[]): Promise<UsableConnection[]> {
  const rows = await runPrepared<UsableConnection & StoredHealth>(db, statement, values);
  return rows.map((row) => ({ ...row, status: statusAt(row, new Date()) }));
}

const BEST_FIRST = `order by (${HEALTHY}) desc, (c.workspace_integration_id is not null) desc, c.created_at desc`;

const BY_ID = {
  name: 'usable-connection-by-id',
  text: `${SELECT} left join end_users u on u.id = c.end_user_id
         where c.org_id = $1 and c.id = $3 and c.integration_name = $4
           and (c.workspace_id is null or c.workspace_id = $2) and (c.scope <> 'USER' or u.external_id = $5)`,
};

/** Finds the connection with that id, if calls in this context may use the connection. */
export async function findUsableById(db: Db, { orgId, workspaceId, integrationName, endUserId }: ConnectionContext, id: string) {
  const [row] = await usable(db, BY_ID, [orgId, workspaceId, id, integrationName, endUserId]);
  return row;
}

const forInstance = (n: number) => `(c.workspace_integration_id is null or $${n}::uuid is null or c.workspace_integration_id = $${n})`;

const BY_EXTERNAL_ID = {
  name: 'usable-connection-by-external-id',
  text: `${SELECT} left join end_users u on u.id = c.end_user_id
         where c.org_id = $1 and c.integration_name = $3 and c.external_id = $4
           and (c.workspace_id is null or c.workspace_id = $2) and (c.scope <> 'USER' or (u.external_id = $5 and ${forInstance(6)}))
         order by case c.scope when 'USER' then 0 when 'WORKSPACE' then 1 else 2 end`,
};

/**
 * Returns connections with the external id, in order of precedence: the end user's, then the
 * workspace's, then the organization's.
 */
export async function listUsableByExternalId(db: Db, context: ConnectionContext, externalId: string) {
  const { orgId, workspaceId, integrationName, endUserId, workspaceIntegrationId } = context;
  return usable(db, BY_EXTERNAL_ID, [orgId, workspaceId, integrationName, externalId, endUserId, workspaceIntegrationId]);
}

const OWN = {
  name: 'usable-connection-of-end-user',
  text: `${SELECT} join end_users u on u.id = c.end_user_id
         where c.org_id = $1 and c.workspace_id = $2 and c.integration_name = $3 and u.external_id = $4
           and ${forInstance(5)}
         ${BEST_FIRST} limit 1`,
};

/** Finds the end user's own connection that this workspace integration may use. */
export async function findOwnConnection(db: Db, context: ConnectionContext) {
  const { orgId, workspaceId, integrationName, endUserId, workspaceIntegrationId } = context;
  const [row] = await usable(db, OWN, [orgId, workspaceId, integrationName, endUserId, workspaceIntegrationId]);
  return row;
}

const SHARED = {
  name: 'usable-connections-shared',
  text: `${SELECT}
         where c.org_id = $1 and c.integration_name = $3 and c.scope <> 'USER' and (c.workspace_id is null or c.workspace_id = $2)
         order by (${HEALTHY}) desc, c.created_at limit 2`,
};

/**
 * Returns at most two shared connections of the workspace or the organization, healthy ones first.
 */
export async function listSharedConnections(db: Db, { orgId, workspaceId, integrationName }: ConnectionContext) {
  return usable(db, SHARED, [orgId, workspaceId, integrationName]);
}

/** A connection that calls of an integration could use. */
export interface Connected {
  id: string;
  integrationName: string;
  workspaceIntegrationId: string | null;
  /** True if the connection is the end user's own. */
  isOwn: boolean;
}

const CONNECTED = {
  name: 'connected-integrations',
  text: `select c.id, c.integration_name as "integrationName", c.workspace_integration_id as "workspaceIntegrationId", c.scope = 'USER' as "isOwn"
         from connections c left join end_users u on u.id = c.end_user_id
         where c.org_id = $1 and (c.workspace_id is null or c.workspace_id = $2) and (c.scope <> 'USER' or u.external_id = $3)
           and ${HEALTHY}
         order by c.created_at limit 1000`,
};

/**
 * Returns the healthy connections that calls in a workspace may use: shared connections and the end
 * user's own.
 */
export async function listConnected(
  db: Db,
  { orgId, workspaceId, endUserId }: Pick<ConnectionContext, 'orgId' | 'workspaceId' | 'endUserId'>,
): Promise<Connected[]> {
  return runPrepared<Connected>(db, CONNECTED, [orgId, workspaceId, endUserId]);
}
