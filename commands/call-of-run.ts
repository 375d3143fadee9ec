import type { Call } from '../domain/call.ts';
import type { CodeRun } from '../domain/code-run.ts';
import { DEFAULT_STRATEGY } from '../domain/policy.ts';
import { targetOfTool } from './call-tool.ts';
import type { CallRequest } from './prepare-call.ts';
import type { SurfaceTool } from './surface-cache.ts';

/** What a run asks when its code calls an action; the plan and the pass share it, so that both bind to the same thing. Throws PARTIAL_NOT_FOUND. */
export function requestOfRun(run: CodeRun, tool: SurfaceTool, input: Record<string, unknown>): CallRequest {
  return {
    orgId: run.orgId,
    workspaceId: run.workspaceId,
    source: 'mcp_code',
    requestedBy: { type: run.requestedByType, id: run.requestedById },
    arrivedAt: null,
    ...targetOfTool(tool),
    mcpServerId: run.mcpServerId,
    endUserId: run.endUserId,
    input,
  };
}

/** A call of a run by its names alone: its input is unknown or was not found valid, and nothing goes by it. */
export function bareCallOfRun(run: CodeRun, tool: SurfaceTool, input: Record<string, unknown>): Call {
  return {
    orgId: run.orgId,
    workspaceId: run.workspaceId,
    source: 'mcp_code',
    mcpServerId: run.mcpServerId,
    workspaceIntegrationId: tool.instance?.id ?? null,
    integrationName: tool.integrationName,
    integrationAlias: tool.alias,
    actionName: tool.actionName,
    connectionStrategy: tool.instance?.connectionStrategy ?? DEFAULT_STRATEGY,
    connectionId: null,
    connectionVersion: null,
    endUserId: run.endUserId,
    category: tool.action.category,
    input,
    hiddenPaths: [],
    requestedBy: { type: run.requestedByType, id: run.requestedById },
    arrivedAt: null,
    idempotent: tool.action.idempotent,
  };
}
