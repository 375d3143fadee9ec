import type { McpServer, McpTool } from '../domain/mcp-server.ts';
import { insertMcpTool, type NewMcpTool } from '../store/mcp-tools.ts';
import { changeSurface } from './change-surface.ts';
import { checkMcpTool } from './check-mcp-tool.ts';
import type { Gateway } from './gateway.ts';

export type ManualTool = Omit<NewMcpTool, 'orgId' | 'workspaceId' | 'serverId' | 'sourceWorkspaceIntegrationId'>;

/** Adds a tool to a server by hand; it needs neither a connection nor a workspace integration. Throws what the check throws. */
export async function addMcpTool(gateway: Gateway, server: McpServer, tool: ManualTool): Promise<McpTool> {
  const { orgId, workspaceId, id: serverId } = server;
  return changeSurface(gateway.db, workspaceId, async (tx) => {
    await checkMcpTool(gateway, tx, server, tool);
    return insertMcpTool(tx, { ...tool, orgId, workspaceId, serverId, sourceWorkspaceIntegrationId: null });
  });
}
