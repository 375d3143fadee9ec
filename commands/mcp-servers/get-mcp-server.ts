import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findMcpServer } from '../../store/mcp-servers.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws NOT_FOUND if the organization has no such MCP server, and SCOPE_DENIED if the key may not
 * access the workspace.
 */
export async function getMcpServer(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<McpServer> {
  return enterMcpServer(principal, await findMcpServer(gateway.db, principal.orgId, id));
}

/** Like `getMcpServer`, for an MCP server that was already read. Undefined: not found. */
export function enterMcpServer(principal: KeyPrincipal, server: McpServer | undefined): McpServer {
  if (!server) throw noSuchServer();
  assertWorkspace(principal, server.workspaceId);
  return server;
}

/** The error for an MCP server that the organization does not have. */
export function noSuchServer(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such MCP server.');
}
