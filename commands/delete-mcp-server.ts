import { GatewayError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { deleteMcpServer as deleteRow } from '../store/mcp-servers.ts';
import { changeSurface } from './change-surface.ts';
import type { Gateway } from './gateway.ts';
import { withdrawPending } from './withdraw-pending.ts';

/** Deletes an MCP server with its tools and tokens, and cancels what its callers wait for. Throws NOT_FOUND when it is gone already. */
export async function deleteMcpServer(gateway: Gateway, { orgId, workspaceId, id }: McpServer): Promise<void> {
  const tell = await changeSurface(gateway.db, workspaceId, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw new GatewayError('NOT_FOUND', 'There is no such MCP server.');
    return withdrawPending(gateway, tx, { orgId, workspaceId, mcpServerId: id }, 'The MCP server was deleted.');
  });
  await tell();
}
