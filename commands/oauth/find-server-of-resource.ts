import { authFlags, type McpServer } from '../../domain/mcp-server.ts';
import { serverIdOf } from '../../domain/oauth/oauth.ts';
import { findServerById } from '../../store/mcp-servers.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Finds the MCP server that a resource indicator names. Returns undefined if there is no such
 * server or its `authMode` excludes OAuth.
 */
export async function findServerOfResource({ db, config }: Gateway, resource: string): Promise<McpServer | undefined> {
  const serverId = serverIdOf(config.baseUrl, resource);
  const server = serverId === undefined ? undefined : await findServerById(db, serverId);
  return server && authFlags(server.authMode).oauthEnabled ? server : undefined;
}
