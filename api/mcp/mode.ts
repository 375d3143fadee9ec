import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';

/** What an MCP server of one mode does. */
export interface Mode {
  /** How to use it, for a client that opens with initialize. */
  instructions: string | undefined;
  listTools(gateway: Gateway, session: McpSession): Promise<readonly Tool[]>;
  /** Throws a ProtocolError for a name that is not a tool; a GatewayError becomes a result with isError. */
  callTool(gateway: Gateway, session: McpSession, name: string, input: Record<string, unknown>): Promise<CallToolResult>;
}
