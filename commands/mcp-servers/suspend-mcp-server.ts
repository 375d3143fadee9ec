import type { McpServer } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { setServerSuspended } from '../../store/mcp-servers.ts';
import { noSuchServer } from './get-mcp-server.ts';

/**
 * Suspends an MCP server: from the next request on, its endpoint and execute-code answer
 * SERVER_SUSPENDED (contract decisions 8). Its tools and tokens are kept. Throws NOT_FOUND.
 */
export async function suspendMcpServer(db: Db, id: string): Promise<McpServer> {
  return setSuspended(db, id, true);
}

/** Ends the suspension of an MCP server. Throws NOT_FOUND. */
export async function resumeMcpServer(db: Db, id: string): Promise<McpServer> {
  return setSuspended(db, id, false);
}

async function setSuspended(db: Db, id: string, isSuspended: boolean): Promise<McpServer> {
  const server = await setServerSuspended(db, id, isSuspended);
  if (!server) throw noSuchServer();
  return server;
}
