import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { ToolPages } from './tool-pages.ts';

/** The request of a tool call. */
export interface CallRequest {
  /** Aborted when the client cancels: on revision 2026-07-28, by closing the connection. */
  signal: AbortSignal;
  /**
   * The approval that the client was asked to have decided, if it repeats a call after URL
   * elicitation.
   */
  approvalId: string | undefined;
}

/** The behaviour of an MCP server in one mode. */
export interface Mode {
  /** Instructions for the client, sent with the answer to initialize. */
  instructions: string | undefined;
  /** The server's tools, serialized once per version of them. */
  listTools(gateway: Gateway, session: McpSession): Promise<ToolPages>;
  /** Throws a ProtocolError for an unknown tool. A GatewayError becomes a result with isError. */
  callTool(
    gateway: Gateway,
    session: McpSession,
    name: string,
    input: Record<string, unknown>,
    request: CallRequest,
  ): Promise<CallToolResult>;
}
