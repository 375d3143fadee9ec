import { GatewayError } from '../../domain/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import type { McpSession } from '../access/authenticate-mcp-token.ts';
import type { Gateway } from '../gateway.ts';
import type { SurfaceTool } from '../surfaces/surface-cache.ts';
import type { CallAnswer } from './run-call.ts';
import { runForCaller } from './run-for-caller.ts';

/**
 * Calls a tool of an MCP server for an agent. After an approval, the agent makes the same call
 * again.
 */
export async function callTool(
  gateway: Gateway,
  { principal, server }: McpSession,
  tool: SurfaceTool,
  input: Record<string, unknown>,
): Promise<CallAnswer> {
  return runForCaller(gateway, {
    ...targetOfTool(tool),
    orgId: principal.orgId,
    workspaceId: principal.workspaceId,
    source: 'mcp_tools',
    requestedBy: actorOf(principal),
    policiesVersion: principal.policiesVersion,
    arrivedAt: principal.seenAt,
    mcpServerId: server.id,
    endUserId: principal.endUserId,
    input,
  });
}

/**
 * Returns the parts of a call that the tool determines. Throws PARTIAL_NOT_FOUND if a partial of
 * the tool is gone or no longer fits, because enforced values must not be lost silently.
 */
export function targetOfTool({ action, alias, instance, presets, hiddenKeys, lostPartials, tool }: SurfaceTool) {
  if (lostPartials.length > 0) {
    throw new GatewayError('PARTIAL_NOT_FOUND', `The tool ${alias}.${action.name} names partials that do not exist or no longer fit.`, {
      partialIds: lostPartials,
    });
  }
  return { action, alias, instance, presets, hiddenKeys, toolConnectionId: tool.connectionId };
}
