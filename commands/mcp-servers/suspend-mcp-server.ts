import type { Actor } from '../../domain/approval.ts';
import { serverActivity } from '../../domain/audit/change-activity.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { Db } from '../../infra/database.ts';
import { findServerById, setServerSuspended } from '../../store/mcp-servers.ts';
import { recordActivity } from '../audit/record-activity.ts';
import { noSuchServer } from './get-mcp-server.ts';

/**
 * Suspends an MCP server: its endpoint and execute-code answer SERVER_SUSPENDED (contract decisions
 * 8). Throws NOT_FOUND.
 */
export async function suspendMcpServer(db: Db, by: Actor, id: string): Promise<McpServer> {
  return setSuspended(db, by, id, true);
}

/** Ends the suspension of an MCP server. Throws NOT_FOUND. */
export async function resumeMcpServer(db: Db, by: Actor, id: string): Promise<McpServer> {
  return setSuspended(db, by, id, false);
}

async function setSuspended(db: Db, by: Actor, id: string, isSuspended: boolean): Promise<McpServer> {
  return db.transaction(async (tx) => {
    const changed = await setServerSuspended(tx, id, isSuspended);
    const server = await findServerById(tx, id);
    if (!server) throw noSuchServer();
    const type = isSuspended ? 'mcp_server.suspended' : 'mcp_server.resumed';
    if (changed) await recordActivity(tx, serverActivity(type, server, by));
    return server;
  });
}
