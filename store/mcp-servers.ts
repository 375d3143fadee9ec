import type { McpServer } from '../domain/mcp-server.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columnsSql, toRow } from './columns.ts';
import { keyedRead } from './key-lookups.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

const FIELDS = [
  'id',
  'orgId',
  'workspaceId',
  'name',
  'description',
  'mode',
  'settings',
  'authMode',
  'endUserAccess',
  'endUserId',
  'createdBy',
  'suspendedAt',
  'createdAt',
  'updatedAt',
] as const;
const COLUMNS = columnsSql<McpServer>('s', ...FIELDS);

/** Finds the API keys of requests and the MCP servers that the requests name. */
export const findMcpServersWithKeys = keyedRead<McpServer>(
  'mcp_servers',
  `${columnsSql<McpServer>('mcp_servers', ...FIELDS)},
   (select u.external_id from end_users u where u.id = mcp_servers.end_user_id) as "endUserExternalId"`,
);

export type NewMcpServer = Omit<McpServer, 'id' | 'endUserExternalId' | 'suspendedAt' | 'createdAt' | 'updatedAt'>;

export async function insertMcpServer(db: Db, server: NewMcpServer): Promise<McpServer> {
  const [{ id }] = await db('mcp_servers').insert(toRow(server)).returning('id');
  return (await findMcpServer(db, server.orgId, id))!;
}

export async function findMcpServer(db: Db, orgId: string, id: string): Promise<McpServer | undefined> {
  return servers(db).where({ 's.org_id': orgId, 's.id': id }).first();
}

/** Finds an MCP server of any organization. */
export async function findServerById(db: Db, id: string): Promise<McpServer | undefined> {
  return servers(db).where({ 's.id': id }).first();
}

const ACCESS = { name: 'mcp-server-access', text: `select mode, auth_mode as "authMode" from mcp_servers where id = $1` };

/** Finds the mode and the authentication mode of an MCP server. */
export async function findServerAccess(db: Db, id: string): Promise<Pick<McpServer, 'mode' | 'authMode'> | undefined> {
  const [row] = await runPrepared<Pick<McpServer, 'mode' | 'authMode'>>(db, ACCESS, [id]);
  return row;
}

/** Returns a page of MCP servers, oldest first. `name`: a part of the name, ignoring case. */
export async function listMcpServers(
  db: Db,
  filter: { orgId: string; workspaceIds?: readonly string[]; includeSuspended: boolean; name?: string },
  page: PageRequest,
): Promise<Page<McpServer>> {
  const all = db('mcp_servers').where({ org_id: filter.orgId });
  if (filter.name) all.whereRaw('position(lower(?) in lower(name)) > 0', [filter.name]);
  if (filter.workspaceIds) all.whereIn('workspace_id', [...filter.workspaceIds]);
  if (!filter.includeSuspended) all.whereNull('suspended_at');
  return pageOf(all, page, (ids) => servers(db).whereIn('s.id', ids).orderBy(oldestFirst('s')));
}

/** Returns the workspaces of the MCP servers with these ids in the organization. */
export async function listWorkspacesOfServers(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Pick<McpServer, 'id' | 'workspaceId'>[]> {
  return ids.length === 0
    ? []
    : db('mcp_servers')
        .select('id', 'workspace_id as workspaceId')
        .where({ org_id: orgId })
        .whereIn('id', [...ids]);
}

/** Returns the ids of the MCP servers that are scoped to this end user. */
export async function listServerIdsOfEndUser(db: Db, orgId: string, endUserId: string): Promise<string[]> {
  return db('mcp_servers').where({ org_id: orgId, end_user_id: endUserId }).pluck('id');
}

export async function countMcpServers(db: Db, orgId: string): Promise<number> {
  const counted = await db('mcp_servers').where({ org_id: orgId }).count({ total: '*' }).first();
  return Number(counted?.total ?? 0);
}

/**
 * Returns the MCP servers of a workspace. Locks them until the transaction ends, so that syncs of
 * their tools do not run concurrently.
 */
export async function lockMcpServersOf(db: Db, workspaceId: string): Promise<Pick<McpServer, 'id' | 'authMode' | 'endUserId'>[]> {
  return db('mcp_servers')
    .select('id', 'auth_mode as authMode', 'end_user_id as endUserId')
    .where({ workspace_id: workspaceId })
    .orderBy('id')
    .forNoKeyUpdate();
}

export async function updateMcpServer(db: Db, orgId: string, id: string, changes: Partial<NewMcpServer>): Promise<McpServer | undefined> {
  const updated = await db('mcp_servers')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes), updated_at: db.fn.now() });
  return updated > 0 ? findMcpServer(db, orgId, id) : undefined;
}

/** Suspends or resumes an MCP server of any organization; false if nothing changed. */
export async function setServerSuspended(db: Db, id: string, isSuspended: boolean): Promise<boolean> {
  const changed = await db('mcp_servers')
    .where({ id })
    .whereRaw('(suspended_at is null) = ?', [isSuspended])
    .update({ suspended_at: isSuspended ? db.fn.now() : null });
  return changed > 0;
}

/** Deletes an MCP server and, by cascade, its tools and tokens. */
export async function deleteMcpServer(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('mcp_servers').where({ org_id: orgId, id }).delete()) > 0;
}

function servers(db: Db) {
  return db('mcp_servers as s')
    .leftJoin('end_users as u', 'u.id', 's.end_user_id')
    .select(db.raw(COLUMNS), 'u.external_id as endUserExternalId');
}
