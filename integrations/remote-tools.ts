import type { Fetch } from './custom/mcp/guarded-fetch.ts';

/** Calls tools of MCP servers. Sessions stay open after a call. */
export interface RemoteTools {
  /** Returns the tool's result unchanged. */
  call(call: RemoteToolCall): Promise<Readonly<Record<string, unknown>>>;
}

export interface RemoteToolCall {
  url: string;
  /** Sends requests with the credentials of the account. */
  fetch: Fetch;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** Marks the inputs that must be repeated in headers. */
  inputSchema: Readonly<Record<string, unknown>>;
  timeoutMs: number;
  signal: AbortSignal;
}
