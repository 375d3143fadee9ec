import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findMcpServer } from '../../store/mcp-servers.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the MCP server with this id. Throws NOT_FOUND if the MCP server is unknown or belongs to
 * another organization, then SCOPE_DENIED if the key may not access the workspace.
 */
export async function getMcpServer(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<McpServer> {
  return enterMcpServer(principal, await findMcpServer(gateway.db, principal.orgId, id));
}

/**
 * Like `getMcpServer`, for an MCP server that was already read with the key. Undefined means that
 * the organization has no such MCP server.
 */
export function enterMcpServer(principal: KeyPrincipal, server: McpServer | undefined): McpServer {
  if (!server) throw noSuchServer();
  assertWorkspace(principal, server.workspaceId);
  return server;
}

/** Returns the error for an MCP server that the organization does not have. */
export function noSuchServer(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is no such MCP server.');
}
