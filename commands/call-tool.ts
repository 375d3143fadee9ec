import { GatewayError } from '../domain/errors.ts';
import { actorOf } from '../domain/principal.ts';
import type { McpSession } from './authenticate-mcp-token.ts';
import type { Gateway } from './gateway.ts';
import { prepareForCaller } from './prepare-for-caller.ts';
import { type CallAnswer, runCall } from './run-call.ts';
import type { SurfaceTool } from './surface-cache.ts';

/**
 * Calls a tool of a TOOLS server for an agent: what the tool presets, then the caller's arguments, then the gate. After an approval the same
 * call again runs. Throws what preparing and admitting a call throw.
 */
export async function callTool(
  gateway: Gateway,
  { principal, server }: McpSession,
  tool: SurfaceTool,
  input: Record<string, unknown>,
): Promise<CallAnswer> {
  const prepared = await prepareForCaller(gateway, {
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
  return runCall(gateway, prepared);
}

/** What a tool says of a call to it. Throws PARTIAL_NOT_FOUND where a partial that the tool names is gone: what it enforced must not be lost unnoticed. */
export function targetOfTool({ action, alias, instance, presets, hiddenKeys, lostPartials, tool }: SurfaceTool) {
  if (lostPartials.length > 0) {
    throw new GatewayError(
      'PARTIAL_NOT_FOUND',
      `The tool ${alias}.${action.name} names partials that are not there or do not fit any more.`,
      {
        partialIds: lostPartials,
      },
    );
  }
  return { action, alias, instance, presets, hiddenKeys, toolConnectionId: tool.connectionId };
}
