import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import { callTool } from '../../commands/calls/call-tool.ts';
import { listChoices } from '../../commands/catalogue/list-choices.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { type HelperTool, helperTools } from '../../commands/surfaces/helper-tools.ts';
import type { Surface } from '../../commands/surfaces/surface-cache.ts';
import { cutText } from '../../domain/cut-text.ts';
import type { Mode } from './mode.ts';
import { presentCall } from './present-call.ts';
import { presentHelper, presentOptions } from './present-helper.ts';
import { presentTool } from './present-tool.ts';
import { type ToolPages, toolPages } from './tool-pages.ts';

/** The mode TOOLS: one tool per action, and helper tools that list the choices of inputs. */
export const toolsMode: Mode = {
  instructions: undefined,
  listTools: async (gateway, session) => listed(await surfaceOf(gateway, session)).pages,
  async callTool(gateway, session, name, input) {
    const surface = await surfaceOf(gateway, session);
    const tool = surface.byName.get(name);
    if (tool) return presentCall(gateway, tool, await callTool(gateway, session, tool, input));
    const helper = listed(surface).helpers.get(name);
    if (!helper) throw unknownTool(name);
    return presentOptions(await listChoices(gateway, session, helper, input));
  },
};

/** The error for an unknown tool name. */
export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${cutText(name, 100)}`);
}

/** The actions of the session's server, in the version of the session. */
export function surfaceOf(gateway: Gateway, { server, surfaceVersion }: McpSession): Promise<Surface> {
  return gateway.surfaces.of({ serverId: server.id, orgId: server.orgId, workspaceId: server.workspaceId, surfaceVersion });
}

interface Listing {
  pages: ToolPages;
  helpers: ReadonlyMap<string, HelperTool>;
}

const listings = new WeakMap<Surface, Listing>();

function listed(surface: Surface): Listing {
  const known = listings.get(surface) ?? list(surface);
  listings.set(surface, known);
  return known;
}

function list(surface: Surface): Listing {
  const helpers = helperTools(surface);
  const pages = toolPages([...surface.tools.map(presentTool), ...helpers.map(presentHelper)]);
  return { pages, helpers: new Map(helpers.map((helper) => [helper.name, helper])) };
}
