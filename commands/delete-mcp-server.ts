import { GatewayError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { deleteMcpServer as deleteRow } from '../store/mcp-servers.ts';
import { changeSurface } from './change-surface.ts';
import type { Gateway } from './gateway.ts';

/** Deletes an MCP server with its tools and tokens. Throws NOT_FOUND when it is gone already. */
export async function deleteMcpServer(gateway: Gateway, { orgId, workspaceId, id }: McpServer): Promise<void> {
  await changeSurface(gateway.db, workspaceId, async (tx) => {
    if (!(await deleteRow(tx, orgId, id))) throw new GatewayError('NOT_FOUND', 'There is no such MCP server.');
  });
}
