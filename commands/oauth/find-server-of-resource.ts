import { authFlags, type McpServer } from '../../domain/mcp-server.ts';
import { serverIdOf } from '../../domain/oauth/oauth.ts';
import { findServerById } from '../../store/mcp-servers.ts';
import type { Gateway } from '../gateway.ts';

/**
 * The MCP server that a resource indicator names; undefined if there is none or its `authMode`
 * excludes OAuth.
 */
export async function findServerOfResource({ db, config }: Gateway, resource: string): Promise<McpServer | undefined> {
  const serverId = serverIdOf(config.baseUrl, resource);
  const server = serverId === undefined ? undefined : await findServerById(db, serverId);
  return server && authFlags(server.authMode).oauthEnabled ? server : undefined;
}
