import { actorOf } from '../domain/principal.ts';
import type { McpSession } from './authenticate-mcp-token.ts';
import type { Gateway } from './gateway.ts';
import { prepareCall } from './prepare-call.ts';
import { type CallAnswer, runCall } from './run-call.ts';
import type { SurfaceTool } from './surface-cache.ts';

/**
 * Calls a tool of a TOOLS server for an agent: what the tool presets, then the caller's arguments, then the gate. After an approval the same
 * call again runs. Throws what preparing and admitting a call throw.
 */
export async function callTool(
  gateway: Gateway,
  { principal, server }: McpSession,
  { action, alias, instance, defaults }: SurfaceTool,
  input: Record<string, unknown>,
): Promise<CallAnswer> {
  const prepared = prepareCall({
    orgId: principal.orgId,
    workspaceId: principal.workspaceId,
    source: 'mcp_tools',
    requestedBy: actorOf(principal),
    policiesVersion: principal.policiesVersion,
    mcpServerId: server.id,
    endUserId: principal.endUserId,
    action,
    alias,
    instance,
    defaults,
    input,
  });
  return runCall(gateway, prepared);
}
