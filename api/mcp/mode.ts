import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';

/** What a tool may know of the request that calls it. */
export interface CallRequest {
  /** Aborted when the client takes the request back: on revision 2026-07-28, by closing the connection. */
  signal: AbortSignal;
}

/** What an MCP server of one mode does. */
export interface Mode {
  /** How to use it, for a client that opens with initialize. */
  instructions: string | undefined;
  listTools(gateway: Gateway, session: McpSession): Promise<readonly Tool[]>;
  /** Throws a ProtocolError for a name that is not a tool; a GatewayError becomes a result with isError. */
  callTool(
    gateway: Gateway,
    session: McpSession,
    name: string,
    input: Record<string, unknown>,
    request: CallRequest,
  ): Promise<CallToolResult>;
}
