import { getMcpServer } from '../../../../commands/mcp-servers/get-mcp-server.ts';
import type { McpServer } from '../../../../domain/mcp-server.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';

/** Path of the list of MCP servers, below /app. */
export const SERVERS = '/servers';

/** The MCP server in the path. Throws NOT_FOUND. */
export async function getServer({ gateway, principal, params }: Visit): Promise<McpServer> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getMcpServer(gateway, principal, id.data);
}
