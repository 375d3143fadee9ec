import { GatewayError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { findMcpServer } from '../store/mcp-servers.ts';
import type { Gateway } from './gateway.ts';

/** The MCP server of that id, if the key may enter its workspace. Throws NOT_FOUND for an unknown or foreign one, then SCOPE_DENIED. */
export async function getMcpServer(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<McpServer> {
  const server = await findMcpServer(gateway.db, principal.orgId, id);
  if (!server) throw new GatewayError('NOT_FOUND', 'There is no such MCP server.');
  assertWorkspace(principal, server.workspaceId);
  return server;
}
