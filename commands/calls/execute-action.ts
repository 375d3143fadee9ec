import { createHash } from 'node:crypto';
import { presetsOf } from '../../domain/input-partial.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { breathe } from '../../infra/event-loop.ts';
import { findCallByKey } from '../../store/calls.ts';
import type { Gateway } from '../gateway.ts';
import { choosePartials } from '../surfaces/choose-partials.ts';
import { resolveInstance } from '../workspace-integrations/resolve-instance.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';
import { deadlineSecondsOf } from './perform-call.ts';
import { prepareForCaller } from './prepare-for-caller.ts';
import { type CallAnswer, outcomeOf, runCall } from './run-call.ts';

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
  /** IDs or names. An empty list applies no partials, not even the defaults. */
  partialIds?: string[] | undefined;
  idempotencyKey?: string | undefined;
}

/**
 * Runs one action for an API key, through the gate (contract decisions 2, Actions). Throws the
 * errors of naming, preparing and admitting the call.
 */
export async function executeAction(gateway: Gateway, principal: KeyPrincipal, request: ExecuteAction): Promise<CallAnswer> {
  const { orgId, id: workspaceId, surfaceVersion } = await getWorkspace(gateway, principal, request.workspaceId);
  const action = await gateway.catalog.getAction(orgId, request.integrationName, request.actionName);
  const requestHash = hashRequest(request);
  await breathe();
  const made = request.idempotencyKey === undefined ? undefined : await findCallByKey(gateway.db, workspaceId, request.idempotencyKey);
  // The stored outcome is returned even if the configuration has changed since.
  if (made?.requestHash === requestHash) {
    return { kind: 'done', outcome: await outcomeOf(gateway, made, deadlineSecondsOf({ action, instance: null })) };
  }
  const { instances, partials } = await gateway.setups.of({ orgId, workspaceId, surfaceVersion });
  const instance = resolveInstance(instances, request);
  const target = { integrationName: action.integrationName, workspaceIntegrationId: instance?.id ?? null, actionName: action.name };
  const prepared = await prepareForCaller(gateway, {
    orgId,
    workspaceId,
    source: request.source,
    requestedBy: actorOf(principal),
    policiesVersion: principal.policiesVersion,
    arrivedAt: principal.seenAt,
    action,
    instance,
    alias: instance?.alias ?? action.integrationName,
    mcpServerId: null,
    endUserId: request.endUserId ?? null,
    connectionExternalId: request.connectionExternalId,
    presets: presetsOf(choosePartials(partials, target, request.partialIds)),
    input: request.input,
    idempotencyKey: request.idempotencyKey,
    requestHash,
  });
  return runCall(gateway, prepared, made);
}

/**
 * SHA-256, hex, of a request as it was sent, without its key. Unlike the binding of the call, it
 * accepts text that is not valid Unicode.
 */
function hashRequest({ idempotencyKey, ...request }: ExecuteAction): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
