import type { Actor } from '../../domain/approval.ts';
import { serverActivity } from '../../domain/audit/change-activity.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { deleteMcpServer as deleteRow } from '../../store/mcp-servers.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { noSuchServer } from './get-mcp-server.ts';

/**
 * Deletes an MCP server, and cancels its pending approvals and code runs. Throws NOT_FOUND if the
 * MCP server is already gone.
 */
export async function deleteMcpServer(gateway: Gateway, by: Actor, server: McpServer): Promise<void> {
  const { orgId, workspaceId, id } = server;
  const notify = await changeSurface(gateway.db, workspaceId, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw noSuchServer();
    await recordActivity(tx, serverActivity('mcp_server.deleted', server, by));
    return withdrawPending(gateway, tx, { orgId, workspaceId, mcpServerId: id }, 'The MCP server was deleted.');
  });
  await notify();
}
