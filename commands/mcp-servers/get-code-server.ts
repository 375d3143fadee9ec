import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import type { Gateway } from '../gateway.ts';
import { getMcpServer } from './get-mcp-server.ts';

/**
 * Finds an MCP server that can run code now. Throws the errors of `getMcpServer`, SERVER_SUSPENDED
 * and MCP_CODE_MODE_REQUIRED.
 */
export async function getCodeServer(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<McpServer> {
  return assertRunsCode(await getMcpServer(gateway, principal, id));
}

/**
 * Returns the server if it can run code now. Throws SERVER_SUSPENDED and MCP_CODE_MODE_REQUIRED.
 */
export function assertRunsCode(server: McpServer): McpServer {
  if (server.suspendedAt) throw new GatewayError('SERVER_SUSPENDED', 'This MCP server is suspended.');
  if (server.mode !== 'CODE')
    throw new GatewayError('MCP_CODE_MODE_REQUIRED', 'This MCP server is in TOOLS mode; code needs a server in CODE mode.');
  return server;
}
