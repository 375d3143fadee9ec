import type { Actor } from '../../domain/approval.ts';
import type { Call, CallOfRun } from '../../domain/call.ts';
import { validationError } from '../../domain/errors.ts';
import type { Presets } from '../../domain/input-partial.ts';
import { DEFAULT_STRATEGY, type Source } from '../../domain/policies/policy.ts';
import { keepsState, type WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { assertStateOwner } from '../agent-state/open-state.ts';
import { openCredentials } from '../connections/connection-credentials.ts';
import { type ChosenConnection, resolveForAction } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import { assertCallable } from './assert-callable.ts';

/** A call as an entry point received it. */
export interface CallRequest {
  orgId: string;
  workspaceId: string;
  source: Source;
  requestedBy: Actor;
  policiesVersion?: number | undefined;
  /** When the caller was authenticated, by the database clock. Null for a call of a code run. */
  arrivedAt: Date | null;
  action: CatalogAction;
  /** Null if the workspace has not configured the integration. */
  instance: WorkspaceIntegration | null;
  alias: string | null;
  mcpServerId: string | null;
  /** External id. */
  endUserId: string | null;
  /** The connection that the called tool names. */
  toolConnectionId?: string | null | undefined;
  /** The connection that the caller names. */
  connectionExternalId?: string | undefined;
  presets: Presets;
  /** Preset input keys that errors must not reveal to the caller. */
  hiddenKeys?: readonly string[] | undefined;
  input: Record<string, unknown>;
  idempotencyKey?: string | undefined;
  /** Hash of the request as sent, to detect another request with the same idempotency key. */
  requestHash?: string | undefined;
  run?: CallOfRun | undefined;
}

/** A call that the policies can judge, with what is needed to run it. */
export interface PreparedCall {
  call: Call;
  action: CatalogAction;
  instance: WorkspaceIntegration | null;
  /** Null if the action needs no account, or if its account is optional and missing. */
  connection: ChosenConnection | null;
}

/**
 * Prepares a call. Its input is final: an approval permits only a call with this input. Throws
 * VALIDATION_ERROR, and the errors of `assertCallable`, `resolveForAction` and `assertStateOwner`.
 */
export async function prepareCall(gateway: Gateway, request: CallRequest): Promise<PreparedCall> {
  const { action, instance } = request;
  assertCallable(action, instance);
  const enforced = knownInputs(action, request.presets.enforced);
  const given = validInput(request, { ...knownInputs(action, request.presets.defaults), ...request.input, ...enforced });
  await breathe();
  const connection = await resolveForAction(gateway, action, request);
  const input = await withAccountInput(gateway, action, given, connection);
  if (keepsState(action.integrationName)) assertStateOwner({ ...request, persistence: instance?.settings.persistence });
  const category = action.categoryOf(input);
  return {
    action,
    instance,
    connection,
    call: {
      orgId: request.orgId,
      workspaceId: request.workspaceId,
      source: request.source,
      mcpServerId: request.mcpServerId,
      workspaceIntegrationId: instance?.id ?? null,
      integrationName: action.integrationName,
      integrationAlias: request.alias,
      actionName: action.name,
      connectionStrategy: instance?.connectionStrategy ?? DEFAULT_STRATEGY,
      connectionId: connection?.id ?? null,
      connectionVersion: connection?.credentialsVersion ?? null,
      definitionHash: action.own?.definitionHash,
      endUserId: request.endUserId,
      category,
      otherCategories: action.otherCategoriesOf?.(input),
      recipients: action.recipients?.(input),
      paths: action.paths?.(input),
      input,
      hiddenPaths: Object.keys(enforced),
      requestedBy: request.requestedBy,
      arrivedAt: request.arrivedAt,
      idempotent: action.idempotent || category === 'read',
      idempotencyKey: request.idempotencyKey,
      requestHash: request.requestHash,
      policiesVersion: request.policiesVersion,
      run: request.run,
    },
  };
}

/** Drops keys of a preset that are no inputs of the action (contract decisions 2, Partials). */
function knownInputs(action: CatalogAction, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => action.input.keys.includes(key)));
}

function validInput({ action, hiddenKeys = [], input }: CallRequest, merged: Record<string, unknown>): Record<string, unknown> {
  const parsed = parseInput(action, merged, hiddenKeys);
  if (parsed.ok) return parsed.input;
  const isHidden = (path: string) => {
    const [key = ''] = path.split('.');
    return hiddenKeys.includes(key) && !Object.hasOwn(input, key);
  };
  throw validationError(
    parsed.issues.map(({ path, message }) => {
      if (isHidden(path))
        return { path: 'input', message: 'a preset value does not fit the action; the owner of the preset must correct it' };
      return { path: path ? `input.${path}` : 'input', message };
    }),
  );
}

/**
 * Completes the input from the account, so that policies see the real target (a default bucket).
 */
async function withAccountInput(
  gateway: Gateway,
  action: CatalogAction,
  input: Record<string, unknown>,
  connection: ChosenConnection | null,
): Promise<Record<string, unknown>> {
  if (!action.completeInput || !connection) return input;
  return action.completeInput(input, await openCredentials(gateway, connection));
}
