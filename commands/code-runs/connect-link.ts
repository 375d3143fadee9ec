import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { countRunCalls, type RunStep } from '../../store/journal.ts';
import { withConnectUrl } from '../connect/with-connect-url.ts';
import { resolveForAction } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { SurfaceTool } from '../surfaces/surface-cache.ts';

/** Where the end user of a run connects the account that the run lacked. */
export interface ConnectLink {
  connectUrl: string;
  /** The run made no other call, so its code can run again without repeating anything. */
  mayRepeat: boolean;
}

/**
 * The connect link for a run that failed with CONNECTION_REQUIRED. The code itself never sees it,
 * because it is a secret. Undefined where the end user cannot connect an account, or has connected
 * it meanwhile.
 */
export async function findConnectLink(gateway: Gateway, run: CodeRun, steps: readonly RunStep[]): Promise<ConnectLink | undefined> {
  if (run.status !== 'failed' || run.result?.error?.code !== 'CONNECTION_REQUIRED' || run.endUserId === null) return undefined;
  const surface = await gateway.surfaces.of({ serverId: run.mcpServerId, orgId: run.orgId, workspaceId: run.workspaceId });
  for (const { status, integrationAlias, actionName } of steps.toReversed()) {
    const tool = status === 'failed' && integrationAlias !== null ? surface.find(integrationAlias, actionName) : undefined;
    const connectUrl = tool && (await connectUrlFor(gateway, run, tool));
    if (connectUrl !== undefined) return { connectUrl, mayRepeat: (await countRunCalls(gateway.db, run.id)) === 1 };
  }
  return undefined;
}

/** Undefined if the tool has a connected account. */
async function connectUrlFor(
  gateway: Gateway,
  run: CodeRun,
  { action, integrationName, instance, tool }: SurfaceTool,
): Promise<string | undefined> {
  const { orgId, workspaceId, endUserId } = run;
  const request = { orgId, workspaceId, endUserId, instance, toolConnectionId: tool.connectionId };
  try {
    await resolveForAction(gateway, action, request);
    return undefined;
  } catch (error) {
    const linked = await withConnectUrl(gateway, { ...request, integrationName }, error);
    return linked instanceof GatewayError ? (linked.details?.connectUrl as string | undefined) : undefined;
  }
}
