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

/** The servers of a workspace on which tools by hand use an alias for another integration than this one. */
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

/** Gives the tools synced from an instance its new place in the order; one that was given a place of its own keeps it. */
export async function reorderSyncedMcpTools(db: Db, workspaceIntegrationId: string, move: { from: number; to: number }): Promise<void> {
  await db('mcp_tools')
    .where({ source_workspace_integration_id: workspaceIntegrationId, sort_order: move.from })
    .update({ sort_order: move.to });
}

/** Gives the tools synced from an instance its new alias, unless a tool by hand offers the action under it on that server. */
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
