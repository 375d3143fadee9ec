import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { ToolPages } from './tool-pages.ts';

/** What a tool call needs to know about its request. */
export interface CallRequest {
  /**
   * Aborts when the client closes the connection, which cancels the call (revision 2026-07-28).
   * Never aborts under earlier revisions.
   */
  signal: AbortSignal;
  /**
   * The id of the approval that this call waits for, if the client repeats the call after URL
   * elicitation. Otherwise undefined.
   */
  approvalId: string | undefined;
}

/** The behaviour of an MCP server in one mode. */
export interface Mode {
  /** Instructions for the client, sent with the answer to initialize. */
  instructions: string | undefined;
  /** The server's tools. They are serialized once for each version of the list. */
  listTools(gateway: Gateway, session: McpSession): Promise<ToolPages>;
  /**
   * Throws a ProtocolError for an unknown tool. A GatewayError, except INTERNAL_ERROR, becomes a
   * result with isError.
   */
  callTool(
    gateway: Gateway,
    session: McpSession,
    name: string,
    input: Record<string, unknown>,
    request: CallRequest,
  ): Promise<CallToolResult>;
}
