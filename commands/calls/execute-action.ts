import { createHash } from 'node:crypto';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { findCallByKey } from '../../store/calls.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';
import { deadlineSecondsOf } from './perform-call.ts';
import { type ExecuteAction, requestOfAction } from './request-of-action.ts';
import { type CallAnswer, outcomeOf } from './run-call.ts';
import { runForCaller } from './run-for-caller.ts';

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
  const setup = await gateway.setups.of({ orgId, workspaceId, surfaceVersion });
  const { asked } = requestOfAction(principal, { request, action, orgId, workspaceId }, setup);
  return runForCaller(gateway, { ...asked, requestHash }, made);
}

/**
 * SHA-256, hex, of a request as it was sent, without its key. Unlike the binding of the call, it
 * accepts text that is not valid Unicode.
 */
function hashRequest({ idempotencyKey, ...request }: ExecuteAction): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
