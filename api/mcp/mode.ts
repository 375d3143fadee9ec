import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { ToolPages } from './tool-pages.ts';

/** What a tool call needs to know about its request. */
export interface CallRequest {
  /** Aborts when the client closes the connection (revision 2026-07-28). */
  signal: AbortSignal;
  /** Undefined unless the client repeats the call after URL elicitation. */
  approvalId: string | undefined;
}

/** The behaviour of an MCP server in one mode. */
export interface Mode {
  /** Sent with the answer to initialize. */
  instructions: string | undefined;
  listTools(gateway: Gateway, session: McpSession): Promise<ToolPages>;
  /** Throws a ProtocolError for an unknown tool. */
  callTool(
    gateway: Gateway,
    session: McpSession,
    name: string,
    input: Record<string, unknown>,
    request: CallRequest,
  ): Promise<CallToolResult>;
}
