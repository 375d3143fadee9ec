import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/authenticate-mcp-token.ts';
import { callTool } from '../../commands/call-tool.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Surface } from '../../commands/surface-cache.ts';
import type { Mode } from './mode.ts';
import { presentCall } from './present-call.ts';
import { presentTool } from './present-tool.ts';
import { readyTools } from './ready-tools.ts';

/** TOOLS: every action that the server offers is a tool of its own. */
export const toolsMode: Mode = {
  instructions: undefined,
  listTools: async (gateway, session) => listed(await surfaceOf(gateway, session)),
  async callTool(gateway, session, name, input) {
    const tool = (await surfaceOf(gateway, session)).byName.get(name);
    if (!tool) throw unknownTool(name);
    return presentCall(gateway, tool, await callTool(gateway, session, tool, input));
  },
};

/** The answer to a tool name that the server does not have. */
export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
}

export function surfaceOf(gateway: Gateway, { server, surfaceVersion }: McpSession): Promise<Surface> {
  return gateway.surfaces.of({ serverId: server.id, orgId: server.orgId, workspaceId: server.workspaceId, surfaceVersion });
}

const listings = new WeakMap<Surface, readonly Tool[]>();

function listed(surface: Surface): readonly Tool[] {
  const known = listings.get(surface) ?? readyTools(surface.tools.map(presentTool));
  listings.set(surface, known);
  return known;
}
