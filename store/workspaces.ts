import type { Workspace } from '../domain/workspace.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { columns, columnsSql, toRow } from './columns.ts';
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

/** Oldest first; with `ids`, those alone. */
export async function listWorkspaces(
  db: Db,
  filter: { orgId: string; ids?: readonly string[] },
  page: PageRequest,
): Promise<Page<Workspace>> {
  const query = db('workspaces').where({ org_id: filter.orgId });
  if (filter.ids) query.whereIn('id', [...filter.ids]);
  return pageOf(query, page, (ids) => db('workspaces').select(COLUMNS).whereIn('id', ids).orderBy(oldestFirst()));
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

/** Keeps everything new out of a workspace that is about to be deleted; false when there is no such workspace. */
export async function closeWorkspace(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('workspaces').select('id').where({ org_id: orgId, id }).forUpdate().first()) !== undefined;
}

/** Deletes the workspace and, by cascade, everything inside it. */
export async function deleteWorkspace(db: Db, orgId: string, id: string): Promise<void> {
  await db('workspaces').where({ org_id: orgId, id }).delete();
}

/**
 * Keeps the workspace from being deleted before the transaction ends; false when it is gone. Transactions that lock several rows lock them in
 * one order, so that no two wait for each other: the workspace (with this, or by raising its surface version), the end user, the MCP server,
 * the workspace integration, the connection, the connect session, the approval, the code run, and last the organization, which all its
 * workspaces share.
 */
export async function holdWorkspace(db: Db, orgId: string, id: string): Promise<boolean> {
  return (await db('workspaces').select('id').where({ org_id: orgId, id }).forKeyShare().first()) !== undefined;
}

/**
 * To be called first in the transaction of every change to what a workspace's MCP servers offer: cached surfaces are good while it
 * stands, and such changes of one workspace come one after another. False when the workspace is gone.
 */
export async function raiseSurfaceVersion(db: Db, workspaceId: string): Promise<boolean> {
  return (await db('workspaces').where({ id: workspaceId }).increment('surface_version', 1)) > 0;
}

/** The same for every workspace of an organization, always in the same order, so that two such transactions don't wait for each other. */
export async function raiseSurfaceVersions(db: Db, orgId: string): Promise<void> {
  const locked = db('workspaces').select('id').where({ org_id: orgId }).orderBy('id').forNoKeyUpdate();
  await db('workspaces').whereIn('id', locked).increment('surface_version', 1);
}

const SURFACE_VERSION = { name: 'surface-version', text: 'select surface_version as version from workspaces where id = $1' };

/** Version of what a workspace's MCP servers offer; 0 for a workspace that is not there. */
export async function readSurfaceVersion(db: Db, workspaceId: string): Promise<number> {
  const [row] = await runPrepared<{ version: number }>(db, SURFACE_VERSION, [workspaceId]);
  return row?.version ?? 0;
}

/** Those of the ids that are workspaces of the organization. */
export async function listKnownWorkspaceIds(db: Db, orgId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db('workspaces')
    .select('id')
    .where({ org_id: orgId })
    .whereIn('id', [...ids]);
  return rows.map((row) => row.id);
}
