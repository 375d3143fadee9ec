import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { deleteMcpTool, findMcpTool } from '../../store/mcp-tools.ts';
import { insertRemovedMcpTool } from '../../store/removed-mcp-tools.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { syncServer } from './sync-tools.ts';

/**
 * Removes a tool from an MCP server. A synced tool that the removed tool overrode is added again.
 * Throws NOT_FOUND.
 */
export async function removeMcpTool(gateway: Gateway, server: McpServer, toolId: string): Promise<void> {
  await changeSurface(gateway.db, server.workspaceId, async (tx) => {
    const tool = await findMcpTool(tx, server.id, toolId);
    if (!tool) throw new GatewayError('NOT_FOUND', 'The server has no such tool.');
    await deleteMcpTool(tx, server.id, tool.id);
    if (tool.sourceWorkspaceIntegrationId === null) await syncServer(gateway.catalog, tx, server);
    else await insertRemovedMcpTool(tx, tool);
  });
}
