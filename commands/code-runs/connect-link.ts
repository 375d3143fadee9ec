import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { countRunCalls, type RunStep } from '../../store/journal.ts';
import { addConnectUrl } from '../connect/with-connect-url.ts';
import { resolveForAction } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { SurfaceTool } from '../surfaces/surface-cache.ts';

/** Where the end user of a run connects the account that the run lacked. */
export interface ConnectLink {
  connectUrl: string;
  /** True if the run made no other call, so running its code again repeats nothing. */
  mayRepeat: boolean;
}

/**
 * The connect link for a run that failed with CONNECTION_REQUIRED; undefined if there is none. The
 * link is a secret, so the code of the run never gets it.
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

/** Undefined if the tool already has a working account, or if no link is possible. */
async function connectUrlFor(gateway: Gateway, run: CodeRun, tool: SurfaceTool): Promise<string | undefined> {
  const { orgId, workspaceId, endUserId } = run;
  const { integrationName, instance } = tool;
  if (!(await needsConnecting(gateway, run, tool))) return undefined;
  const { details } = await addConnectUrl(gateway, { orgId, workspaceId, endUserId, instance, integrationName }, run.result!.error!);
  return details?.connectUrl as string | undefined;
}

async function needsConnecting(
  gateway: Gateway,
  { orgId, workspaceId, endUserId }: CodeRun,
  { action, instance, tool }: SurfaceTool,
): Promise<boolean> {
  try {
    const request = { orgId, workspaceId, endUserId, instance, toolConnectionId: tool.connectionId };
    return (await resolveForAction(gateway, action, request))?.status === 'ERROR';
  } catch (error) {
    return error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED';
  }
}
