import type { Call } from '../../../domain/call.ts';
import type { ActiveRun } from '../../../domain/code-run.ts';
import { DEFAULT_STRATEGY } from '../../../domain/policies/policy.ts';
import { targetOfTool } from '../../calls/call-tool.ts';
import type { CallRequest } from '../../calls/prepare-call.ts';
import type { SurfaceTool } from '../../surfaces/surface-cache.ts';

/** The request of a call that the code of a run makes. Throws PARTIAL_NOT_FOUND. */
export function requestOfRun(run: ActiveRun, tool: SurfaceTool, input: Record<string, unknown>): CallRequest {
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

/**
 * A call whose input is invalid or not known yet: for the record of a refused call, and for the
 * policies that judge a plan.
 */
export function bareCallOfRun(run: ActiveRun, tool: SurfaceTool, input: Record<string, unknown>): Call {
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
