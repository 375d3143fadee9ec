import type { Fetch } from './custom/mcp/guarded-fetch.ts';

/**
 * Calls tools of MCP servers. A session with a server serves one end user of a workspace, with one
 * account or none. It stays open after a call.
 */
export interface RemoteTools {
  /**
   * Calls a tool and returns its result unchanged. When the signal is aborted, notifies the server
   * that the call is canceled. Rejects with the errors of `fetch` and of the MCP client.
   */
  call(call: RemoteToolCall): Promise<Readonly<Record<string, unknown>>>;
}

export interface RemoteToolCall {
  url: string;
  /** Sends requests with the credentials of the account. */
  fetch: Fetch;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** The input schema, for servers that require inputs to be repeated in headers. */
  inputSchema: Readonly<Record<string, unknown>>;
  timeoutMs: number;
  signal: AbortSignal;
}
