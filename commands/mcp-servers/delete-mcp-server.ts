import type { McpServer } from '../../domain/mcp-server.ts';
import { deleteMcpServer as deleteRow } from '../../store/mcp-servers.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { noSuchServer } from './get-mcp-server.ts';

/**
 * Deletes an MCP server with its tools and tokens, and cancels the approvals that its callers wait
 * for. Throws NOT_FOUND if it is already gone.
 */
export async function deleteMcpServer(gateway: Gateway, { orgId, workspaceId, id }: McpServer): Promise<void> {
  const notify = await changeSurface(gateway.db, workspaceId, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw noSuchServer();
    return withdrawPending(gateway, tx, { orgId, workspaceId, mcpServerId: id }, 'The MCP server was deleted.');
  });
  await notify();
}
