import type { McpServer, McpTool } from '../../domain/mcp-server.ts';
import { insertMcpTool, type NewMcpTool } from '../../store/mcp-tools.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { checkMcpTool } from './check-mcp-tool.ts';

export type ManualTool = Omit<NewMcpTool, 'orgId' | 'workspaceId' | 'serverId' | 'sourceWorkspaceIntegrationId'>;

/**
 * Adds a manual tool to an MCP server. Throws the errors of `checkMcpTool`, and NOT_FOUND if the
 * workspace is gone.
 */
export async function addMcpTool(gateway: Gateway, server: McpServer, tool: ManualTool): Promise<McpTool> {
  const { orgId, workspaceId, id: serverId } = server;
  return changeSurface(gateway.db, workspaceId, async (tx) => {
    await checkMcpTool(gateway, tx, server, tool);
    return insertMcpTool(tx, { ...tool, orgId, workspaceId, serverId, sourceWorkspaceIntegrationId: null });
  });
}
