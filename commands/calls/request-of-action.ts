import { type InputPartial, presetsOf } from '../../domain/input-partial.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import { choosePartials } from '../surfaces/choose-partials.ts';
import type { WorkspaceSetup } from '../surfaces/setup-cache.ts';
import { resolveInstance } from '../workspace-integrations/resolve-instance.ts';
import type { CallRequest } from './prepare-call.ts';

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
  /** Ids or names of partials. An empty list applies none, not even the defaults. */
  partialIds?: string[] | undefined;
  idempotencyKey?: string | undefined;
}

interface NamedAction {
  request: ExecuteAction;
  action: CatalogAction;
  orgId: string;
  workspaceId: string;
}

/**
 * The call that a request describes, and the partials that apply. Throws the errors of
 * `resolveInstance` and `choosePartials`.
 */
export function requestOfAction(
  principal: KeyPrincipal,
  { request, action, orgId, workspaceId }: NamedAction,
  setup: WorkspaceSetup,
): { asked: CallRequest; partials: InputPartial[] } {
  const instance = resolveInstance(setup.instances, request);
  const target = { integrationName: action.integrationName, workspaceIntegrationId: instance?.id ?? null, actionName: action.name };
  const partials = choosePartials(setup.partials, target, request.partialIds);
  const asked: CallRequest = {
    ...{ orgId, workspaceId, action, instance },
    source: request.source,
    requestedBy: actorOf(principal),
    policiesVersion: principal.policiesVersion,
    arrivedAt: principal.seenAt,
    alias: instance?.alias ?? action.integrationName,
    mcpServerId: null,
    endUserId: request.endUserId ?? null,
    connectionExternalId: request.connectionExternalId,
    presets: presetsOf(partials),
    input: request.input,
    idempotencyKey: request.idempotencyKey,
  };
  return { asked, partials };
}
