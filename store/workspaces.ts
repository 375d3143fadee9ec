import type { Workspace } from '../domain/workspace.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns, columnsSql, toRow } from './columns.ts';
import { keyedRead } from './key-lookups.ts';
import { oldestFirst, type Page, type PageRequest, pageOf } from './page.ts';

const FIELDS = ['id', 'orgId', 'name', 'slug', 'surfaceVersion', 'createdAt', 'updatedAt'] as const satisfies readonly (keyof Workspace)[];
const COLUMNS = columns<Workspace>(...FIELDS);

export async function insertWorkspace(db: Db, workspace: Pick<Workspace, 'orgId' | 'name' | 'slug'>): Promise<Workspace> {
  const [row] = await db('workspaces').insert(toRow(workspace)).returning(COLUMNS);
  return row;
}

const BY_ID = {
  name: 'workspace-by-id',
  text: `select ${columnsSql<Workspace>('w', ...FIELDS)} from workspaces w where w.org_id = $1 and w.id = $2`,
};

export async function findWorkspace(db: Db, orgId: string, id: string): Promise<Workspace | undefined> {
  const [row] = await runPrepared<Workspace>(db, BY_ID, [orgId, id]);
  return row;
}

/** For each request, finds its API key and the workspace whose id the request contains. */
export const findWorkspacesWithKeys = keyedRead<Workspace>('workspaces', columnsSql<Workspace>('workspaces', ...FIELDS));

/**
 * Returns a page of workspaces, oldest first. `ids`: only these; `text`: a part of the name or
 * slug, ignoring case.
 */
export async function listWorkspaces(
  db: Db,
  filter: { orgId: string; ids?: readonly string[]; text?: string },
  page: PageRequest,
): Promise<Page<Workspace>> {
  const query = db('workspaces').where({ org_id: filter.orgId });
  if (filter.ids) query.whereIn('id', [...filter.ids]);
  if (filter.text) query.whereRaw("strpos(lower(name || ' ' || slug), lower(?)) > 0", [filter.text]);
  return pageOf(query, page, (ids) => db('workspaces').select(COLUMNS).whereIn('id', ids).orderBy(oldestFirst()));
}

/** Returns the numbers of integrations and MCP servers in workspaces, by workspace id. */
export async function countWorkspaceParts(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, { integrations: number; servers: number }>> {
  const of = (table: string) => `(select count(*)::int from ${table} where org_id = w.org_id and workspace_id = w.id)`;
  const rows = await db('workspaces as w')
    .select('id', db.raw(`${of('workspace_integrations')} as integrations, ${of('mcp_servers')} as servers`))
    .where({ org_id: orgId })
    .whereIn('id', [...ids]);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Reads a workspace and locks it against changes until the transaction ends. */
export async function lockWorkspace(db: Db, orgId: string, id: string): Promise<Workspace | undefined> {
  return db('workspaces').select(COLUMNS).where({ org_id: orgId, id }).forNoKeyUpdate().first();
}

export async function updateWorkspace(
  db: Db,
  orgId: string,
  id: string,
  changes: Partial<Pick<Workspace, 'name' | 'slug'>>,
): Promise<Workspace | undefined> {
  const [row] = await db('workspaces')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

/** Locks a workspace that is about to be deleted, so that no new record refers to the workspace. */
export async function closeWorkspace(db: Db, orgId: string, id: string): Promise<Workspace | undefined> {
  return db('workspaces').select(COLUMNS).where({ org_id: orgId, id }).forUpdate().first();
}

/** Deletes a workspace and, by cascade, everything inside it. */
export async function deleteWorkspace(db: Db, orgId: string, id: string): Promise<void> {
  await db('workspaces').where({ org_id: orgId, id }).delete();
}

/**
 * Locks a workspace against deletion until the transaction ends. Returns false if the workspace is
 * gone. To prevent deadlocks, all transactions lock in this order:
 * - workspace (here, or by raising its surface version), custom integration, end user
 * - MCP server, workspace integration, connection, connect session
 * - approval, code run
 * - organization, which all its workspaces share
 */
export async function holdWorkspace(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('workspaces').select('id').where({ org_id: orgId, id }).forKeyShare().first()) !== undefined;
}

/**
 * Notification channel: the surface version (see `readSurfaceVersion`) of a workspace was raised.
 * The payload is the id of the workspace.
 */
export const SURFACE_CHANGED = 'surface_changed';

/**
 * Call this first in each transaction that changes the tools of a workspace's MCP servers. This
 * serializes the changes and invalidates cached tool lists. Returns false if the workspace is gone.
 */
export async function raiseSurfaceVersion(db: Db, workspaceId: string): Promise<boolean> {
  const raised = await db('workspaces').where({ id: workspaceId }).increment('surface_version', 1).returning(notice(db));
  return raised.length > 0;
}

/**
 * Raises the surface versions of all workspaces of an organization, in a fixed order that prevents
 * deadlocks.
 */
export async function raiseSurfaceVersions(db: Db, orgId: string): Promise<void> {
  const locked = db('workspaces').select('id').where({ org_id: orgId }).orderBy('id').forNoKeyUpdate();
  await db('workspaces').whereIn('id', locked).increment('surface_version', 1).returning(notice(db));
}

/**
 * Raises the surface versions of the workspaces that use an integration or have its tools. Locks
 * the workspaces in a fixed order.
 */
export async function raiseSurfaceVersionsUsing(db: Db, orgId: string, integrationName: string): Promise<void> {
  const of = (table: string) => db(table).select('workspace_id').where({ org_id: orgId, integration_name: integrationName });
  const using = of('workspace_integrations').union(of('mcp_tools'));
  const locked = db('workspaces').select('id').where({ org_id: orgId }).whereIn('id', using).orderBy('id').forNoKeyUpdate();
  await db('workspaces').whereIn('id', locked).increment('surface_version', 1).returning(notice(db));
}

/** Postgres sends the notification when the transaction commits. */
function notice(db: Db) {
  return db.raw('pg_notify(?, id::text)', [SURFACE_CHANGED]);
}

const SURFACE_VERSION = { name: 'surface-version', text: 'select surface_version as version from workspaces where id = $1' };

/**
 * Returns the version of the tools that a workspace's MCP servers offer; 0 for an unknown
 * workspace.
 */
export async function readSurfaceVersion(db: Db, workspaceId: string): Promise<number> {
  const [row] = await runPrepared<{ version: number }>(db, SURFACE_VERSION, [workspaceId]);
  return row?.version ?? 0;
}

/** Returns the given ids that are workspaces of the organization. */
export async function listKnownWorkspaceIds(db: Db, orgId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db('workspaces')
    .select('id')
    .where({ org_id: orgId })
    .whereIn('id', [...ids]);
  return rows.map((row) => row.id);
}
