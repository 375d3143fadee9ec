import type { McpTool } from '../../../../../domain/mcp-server.ts';

/** A tool of an MCP server as the REST API shows it. */
export function presentMcpTool(tool: McpTool) {
  return {
    id: tool.id,
    mcpServerId: tool.serverId,
    integrationName: tool.integrationName,
    integrationAlias: tool.integrationAlias,
    actionName: tool.actionName,
    toolType: 'ACTION' as const,
    connectionId: tool.connectionId,
    displayName: tool.displayName,
    description: tool.description,
    inputDefaults: tool.inputDefaults,
    partialIds: tool.partialIds,
    sortOrder: tool.sortOrder,
    sourceWorkspaceIntegrationId: tool.sourceWorkspaceIntegrationId,
  };
}
