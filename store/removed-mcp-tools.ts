import type { McpTool } from '../domain/mcp-server.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

/** A synced tool that was removed from an MCP server. */
export interface RemovedMcpTool {
  serverId: string;
  workspaceIntegrationId: string;
  actionName: string;
}

/** Records that a synced tool was removed from its MCP server. */
export async function insertRemovedMcpTool(db: Db, tool: McpTool): Promise<void> {
  const { orgId, workspaceId, serverId, actionName, sourceWorkspaceIntegrationId } = tool;
  await db('removed_mcp_tools')
    .insert({
      ...{ org_id: orgId, workspace_id: workspaceId, server_id: serverId },
      ...{ workspace_integration_id: sourceWorkspaceIntegrationId, action_name: actionName },
    })
    .onConflict(['server_id', 'workspace_integration_id', 'action_name'])
    .ignore();
}

export async function listRemovedMcpTools(db: Db, workspaceId: string): Promise<RemovedMcpTool[]> {
  return db('removed_mcp_tools')
    .select(columns<RemovedMcpTool>('serverId', 'workspaceIntegrationId', 'actionName'))
    .where({ workspace_id: workspaceId });
}

/** Deletes the records of removed tools whose action the workspace integration no longer offers. */
export async function deleteStaleRemovals(db: Db, workspaceIntegrationId: string, offeredActions: readonly string[]): Promise<void> {
  await db('removed_mcp_tools')
    .where({ workspace_integration_id: workspaceIntegrationId })
    .whereNotIn('action_name', [...offeredActions])
    .delete();
}
