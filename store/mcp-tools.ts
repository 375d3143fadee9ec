import type { InputPartial } from '../domain/input-partial.ts';
import type { McpTool } from '../domain/mcp-server.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<McpTool>(
  'id',
  'orgId',
  'workspaceId',
  'serverId',
  'integrationName',
  'integrationAlias',
  'actionName',
  'connectionId',
  'displayName',
  'description',
  'inputDefaults',
  'partialIds',
  'sortOrder',
  'sourceWorkspaceIntegrationId',
  'createdAt',
  'updatedAt',
);
const JSON_FIELDS = ['inputDefaults'];

/** A statement holds at most 65,535 values. */
const ROWS_A_STATEMENT = 1000;

export type NewMcpTool = Omit<McpTool, 'id' | 'createdAt' | 'updatedAt'>;

export async function insertMcpTool(db: Db, tool: NewMcpTool): Promise<McpTool> {
  const [row] = await db('mcp_tools').insert(toRow(tool, JSON_FIELDS)).returning(COLUMNS);
  return row;
}

/** Inserts synced tools; an action that a manual tool already offers under the alias stays with the manual one. */
export async function insertMissingMcpTools(db: Db, tools: NewMcpTool[]): Promise<void> {
  for (let start = 0; start < tools.length; start += ROWS_A_STATEMENT) {
    const rows = tools.slice(start, start + ROWS_A_STATEMENT).map((tool) => toRow(tool, JSON_FIELDS));
    await db('mcp_tools').insert(rows).onConflict(['server_id', 'integration_alias', 'action_name']).ignore();
  }
}

export async function findMcpTool(db: Db, serverId: string, id: string): Promise<McpTool | undefined> {
  return db('mcp_tools').select(COLUMNS).where({ server_id: serverId, id }).first();
}

/** Tools of a server by sortOrder, then alias and action. */
export async function listMcpTools(db: Db, serverId: string): Promise<McpTool[]> {
  return db('mcp_tools')
    .select(COLUMNS)
    .where({ server_id: serverId })
    .orderBy([{ column: 'sort_order' }, { column: 'integration_alias' }, { column: 'action_name' }]);
}

/** Aliases that tools added by hand use, by server. */
export async function listManualAliases(
  db: Db,
  workspaceId: string,
): Promise<Pick<McpTool, 'serverId' | 'integrationAlias' | 'integrationName'>[]> {
  return db('mcp_tools')
    .distinct(columns<McpTool>('serverId', 'integrationAlias', 'integrationName'))
    .where({ workspace_id: workspaceId })
    .whereNull('source_workspace_integration_id');
}

/** Removes, from every server, the tools synced from an instance that it no longer offers under its alias. */
export async function deleteStaleMcpTools(
  db: Db,
  offer: { workspaceIntegrationId: string; alias: string; actionNames: string[] },
): Promise<void> {
  await db('mcp_tools')
    .where({ source_workspace_integration_id: offer.workspaceIntegrationId })
    .andWhere((stale) => stale.whereNot({ integration_alias: offer.alias }).orWhereNotIn('action_name', offer.actionNames))
    .delete();
}

/** Gives the tools synced from an instance its place in the order. */
export async function reorderSyncedMcpTools(db: Db, workspaceIntegrationId: string, sortOrder: number): Promise<void> {
  await db('mcp_tools').where({ source_workspace_integration_id: workspaceIntegrationId }).update({ sort_order: sortOrder });
}

export async function updateMcpTool(db: Db, serverId: string, id: string, changes: Partial<NewMcpTool>): Promise<McpTool | undefined> {
  const [row] = await db('mcp_tools')
    .where({ server_id: serverId, id })
    .update({ ...toRow(changes, JSON_FIELDS), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

export async function deleteMcpTool(db: Db, serverId: string, id: string): Promise<boolean> {
  return (await db('mcp_tools').where({ server_id: serverId, id }).delete()) > 0;
}

/** Makes the tools that name a partial by its name follow to its new one. */
export async function renamePartialInMcpTools(
  db: Db,
  { workspaceId, integrationName, name: old }: Pick<InputPartial, 'workspaceId' | 'integrationName' | 'name'>,
  name: string,
): Promise<void> {
  await db('mcp_tools')
    .where({ workspace_id: workspaceId, integration_name: integrationName })
    .whereRaw('? = any(partial_ids)', [old])
    .update({ partial_ids: db.raw('array_replace(partial_ids, ?, ?)', [old, name]) });
}
