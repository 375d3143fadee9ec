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
 * Runs one action for an API key, or returns the approval that the call needs (contract decisions
 * 2, Actions).
 */
export async function executeAction(gateway: Gateway, principal: KeyPrincipal, request: ExecuteAction): Promise<CallAnswer> {
  const { orgId, id: workspaceId, surfaceVersion } = await getWorkspace(gateway, principal, request.workspaceId);
  const action = await gateway.catalog.getAction(orgId, request.integrationName, request.actionName);
  const requestHash = hashRequest(request);
  await breathe();
  const made = request.idempotencyKey === undefined ? undefined : await findCallByKey(gateway.db, workspaceId, request.idempotencyKey);
  // A repeated request gets the stored outcome even if the configuration has changed.
  if (made?.requestHash === requestHash) {
    return { kind: 'done', outcome: await outcomeOf(gateway, made, deadlineSecondsOf({ action, instance: null })) };
  }
  const setup = await gateway.setups.of({ orgId, workspaceId, surfaceVersion });
  const { asked } = requestOfAction(principal, { request, action, orgId, workspaceId }, setup);
  return runForCaller(gateway, { ...asked, requestHash }, made);
}

/** Hashes a request as sent. Accepts text that is not valid Unicode, unlike `hashCall`. */
function hashRequest({ idempotencyKey, ...request }: ExecuteAction): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
