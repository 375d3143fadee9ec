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

/** Postgres allows 65,535 values in each statement. */
const ROWS_A_STATEMENT = 1000;

export type NewMcpTool = Omit<McpTool, 'id' | 'createdAt' | 'updatedAt'>;

export async function insertMcpTool(db: Db, tool: NewMcpTool): Promise<McpTool> {
  const [row] = await db('mcp_tools').insert(toRow(tool, JSON_FIELDS)).returning(COLUMNS);
  return row;
}

/**
 * Inserts synced tools. Skips an action that a tool of the MCP server already offers under the same
 * alias.
 */
export async function insertMissingMcpTools(db: Db, tools: NewMcpTool[]): Promise<void> {
  for (let start = 0; start < tools.length; start += ROWS_A_STATEMENT) {
    const rows = tools.slice(start, start + ROWS_A_STATEMENT).map((tool) => toRow(tool, JSON_FIELDS));
    await db('mcp_tools').insert(rows).onConflict(['server_id', 'integration_alias', 'action_name']).ignore();
  }
}

export async function findMcpTool(db: Db, serverId: string, id: string): Promise<McpTool | undefined> {
  return db('mcp_tools').select(COLUMNS).where({ server_id: serverId, id }).first();
}

/** Returns the tools of an MCP server, ordered by sortOrder, alias and action. */
export async function listMcpTools(db: Db, serverId: string): Promise<McpTool[]> {
  return db('mcp_tools')
    .select(COLUMNS)
    .where({ server_id: serverId })
    .orderBy([{ column: 'sort_order' }, { column: 'integration_alias' }, { column: 'action_name' }]);
}

/**
 * Finds MCP servers of a workspace that have manual tools with this alias for another integration.
 */
export async function listServersUsingAlias(
  db: Db,
  { workspaceId, alias, integrationName }: { workspaceId: string; alias: string; integrationName: string },
): Promise<{ serverId: string; integrationName: string }[]> {
  return db('mcp_tools')
    .distinct(columns<McpTool>('serverId', 'integrationName'))
    .where({ workspace_id: workspaceId, integration_alias: alias })
    .whereNot({ integration_name: integrationName })
    .whereNull('source_workspace_integration_id');
}

/**
 * Deletes, from every MCP server, the tools that a workspace integration no longer offers under its
 * alias.
 */
export async function deleteStaleMcpTools(
  db: Db,
  offer: { workspaceIntegrationId: string; alias: string; actionNames: string[] },
): Promise<void> {
  await db('mcp_tools')
    .where({ source_workspace_integration_id: offer.workspaceIntegrationId })
    .andWhere((stale) => stale.whereNot({ integration_alias: offer.alias }).orWhereNotIn('action_name', offer.actionNames))
    .delete();
}

/** Changes the sort order of a workspace integration's tools from `move.from` to `move.to`. */
export async function reorderSyncedMcpTools(db: Db, workspaceIntegrationId: string, move: { from: number; to: number }): Promise<void> {
  await db('mcp_tools')
    .where({ source_workspace_integration_id: workspaceIntegrationId, sort_order: move.from })
    .update({ sort_order: move.to });
}

/**
 * Changes the alias of a workspace integration's tools. Skips a tool if another tool of the MCP
 * server offers the same action under the new alias.
 */
export async function renameSyncedMcpTools(db: Db, workspaceIntegrationId: string, alias: string): Promise<void> {
  await db('mcp_tools as t')
    .where({ 't.source_workspace_integration_id': workspaceIntegrationId })
    .whereNotExists(
      db('mcp_tools as other')
        .select(db.raw('1'))
        .where({ 'other.integration_alias': alias })
        .whereRaw('other.server_id = t.server_id and other.action_name = t.action_name'),
    )
    .update({ integration_alias: alias, updated_at: db.fn.now() });
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

/** Renames a partial in the tools that use it. */
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
