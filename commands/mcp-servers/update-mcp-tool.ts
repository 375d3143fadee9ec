import { GatewayError } from '../../domain/errors.ts';
import type { McpServer, McpTool } from '../../domain/mcp-server.ts';
import { findMcpTool, updateMcpTool as updateRow } from '../../store/mcp-tools.ts';
import { insertRemovedMcpTool } from '../../store/removed-mcp-tools.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import type { ManualTool } from './add-mcp-tool.ts';
import { checkToolAction, checkToolAlias, checkToolConnection, checkToolPartials } from './check-mcp-tool.ts';
import { syncServer } from './sync-tools.ts';

export type ToolChanges = Partial<Omit<ManualTool, 'integrationName' | 'actionName'>>;

/**
 * Changes a tool. A synced tool that gets another alias becomes manual. Throws NOT_FOUND, and the
 * errors of `checkMcpTool` for the changed fields.
 */
export async function updateMcpTool(gateway: Gateway, server: McpServer, toolId: string, changes: ToolChanges): Promise<McpTool> {
  return changeSurface(gateway.db, server.workspaceId, async (tx) => {
    const tool = await findMcpTool(tx, server.id, toolId);
    if (!tool) throw new GatewayError('NOT_FOUND', 'The server has no such tool.');
    const next = { ...tool, ...changes };
    const renamed = next.integrationAlias !== tool.integrationAlias;
    if (renamed) await checkToolAlias(tx, server, next, tool.id);
    if (renamed) await checkToolAction(tx, server, next);
    if (changes.connectionId !== undefined) await checkToolConnection(tx, server, next);
    if (renamed || changes.partialIds !== undefined) await checkToolPartials(tx, server, next);
    const updated = await updateRow(tx, server.id, tool.id, { ...changes, ...(renamed && { sourceWorkspaceIntegrationId: null }) });
    if (renamed && tool.sourceWorkspaceIntegrationId !== null) await insertRemovedMcpTool(tx, tool);
    if (renamed) await syncServer(gateway.catalog, tx, server);
    return updated!;
  });
}
