import { GatewayError } from '../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../domain/principal.ts';
import type { Gateway } from './gateway.ts';
import { getWorkspace } from './get-workspace.ts';
import { prepareCall } from './prepare-call.ts';
import { resolveInstance } from './resolve-instance.ts';
import { type CallAnswer, runCall } from './run-call.ts';

export interface ExecuteAction {
  source: 'rest' | 'sdk';
  workspaceId: string;
  integrationName: string;
  actionName: string;
  input: Record<string, unknown>;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
  connectionExternalId?: string | undefined;
  endUserId?: string | undefined;
  partialIds: string[];
  idempotencyKey?: string | undefined;
}

/** Runs one action for an API key, through the gate (decisions section 2, Actions). Throws what naming, preparing and admitting the call throw. */
export async function executeAction(gateway: Gateway, principal: KeyPrincipal, request: ExecuteAction): Promise<CallAnswer> {
  const { orgId, id: workspaceId } = await getWorkspace(gateway, principal, request.workspaceId);
  const action = gateway.catalog.getAction(request.integrationName, request.actionName);
  const instance = await resolveInstance(gateway, { ...request, orgId, workspaceId });
  if (request.connectionExternalId !== undefined) {
    throw new GatewayError('CONNECTION_NOT_FOUND', `There is no such connection of ${action.integrationName} in this workspace.`);
  }
  if (request.partialIds.length > 0)
    throw new GatewayError('PARTIAL_NOT_FOUND', 'The workspace has no such partial.', { partialIds: request.partialIds });
  const prepared = prepareCall({
    orgId,
    workspaceId,
    source: request.source,
    requestedBy: actorOf(principal),
    policiesVersion: principal.policiesVersion,
    action,
    instance,
    alias: instance?.alias ?? action.integrationName,
    mcpServerId: null,
    endUserId: request.endUserId ?? null,
    defaults: null,
    input: request.input,
    idempotencyKey: request.idempotencyKey,
  });
  return runCall(gateway, prepared);
}
