import type { Actor } from '../domain/approval.ts';
import type { Call, CallOfRun } from '../domain/call.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import type { Presets } from '../domain/input-partial.ts';
import { DEFAULT_STRATEGY, type Source } from '../domain/policy.ts';
import { enablesAction, keepsState, type WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { CatalogAction } from '../integrations/catalog.ts';
import { parseInput } from '../integrations/parse-input.ts';
import type { UsableConnection } from '../store/usable-connections.ts';
import { openCredentials } from './connection-credentials.ts';
import type { Gateway } from './gateway.ts';
import { assertStateOwner } from './open-state.ts';
import { resolveConnection } from './resolve-connection.ts';

/** A call as a door received it: which action, on which configured instance, as whom, with what. */
export interface CallRequest {
  orgId: string;
  workspaceId: string;
  source: Source;
  requestedBy: Actor;
  policiesVersion?: number | undefined;
  /** Null for a call of a code run. */
  arrivedAt: Date | null;
  action: CatalogAction;
  /** Null where the workspace has not configured the integration. */
  instance: WorkspaceIntegration | null;
  alias: string | null;
  mcpServerId: string | null;
  /** External id. */
  endUserId: string | null;
  /** Named by the tool that is called. */
  toolConnectionId?: string | null | undefined;
  /** Named by the caller. */
  connectionExternalId?: string | undefined;
  presets: Presets;
  /** Keys of the action that the caller is not to know of. */
  hiddenKeys?: readonly string[] | undefined;
  input: Record<string, unknown>;
  idempotencyKey?: string | undefined;
  /** Of the call as the caller sent it. */
  requestHash?: string | undefined;
  run?: CallOfRun | undefined;
}

/** A call ready for the gate, with what running it needs. */
export interface PreparedCall {
  call: Call;
  action: CatalogAction;
  instance: WorkspaceIntegration | null;
  /** Null where the integration needs no account. */
  connection: UsableConnection | null;
}

/**
 * Merges presets, validates the input, chooses the connection and adds what its account decides: fixes everything that an approval will bind to.
 * Throws ACTION_NOT_ALLOWED, VALIDATION_ERROR, CONNECTION_NOT_FOUND, CONNECTION_REQUIRED, END_USER_REQUIRED.
 */
export async function prepareCall(gateway: Gateway, request: CallRequest): Promise<PreparedCall> {
  const { action, instance } = request;
  if (instance && !enablesAction(instance, action.name)) {
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${action.name} is not enabled on ${instance.alias}.`);
  }
  const enforced = known(action, request.presets.enforced);
  const given = validInput(request, { ...known(action, request.presets.defaults), ...request.input, ...enforced });
  const connection = await resolveConnection(gateway, { ...request, integration: gateway.catalog.get(action.integrationName) });
  const input = await completedInput(gateway, action, given, connection);
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
      endUserId: request.endUserId,
      category,
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

/** Presets may name keys that this action does not have (decisions section 2, Partials). */
function known(action: CatalogAction, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(action.input.shape, key)));
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
      if (isHidden(path)) return { path: 'input', message: 'a preset value does not fit the action: whoever configured it has to mend it' };
      return { path: path ? `input.${path}` : 'input', message };
    }),
  );
}

/** Policies, reviewers and approvals are about what the account decides as well: a bucket that the call does not name is still its target. */
async function completedInput(
  gateway: Gateway,
  action: CatalogAction,
  input: Record<string, unknown>,
  connection: UsableConnection | null,
): Promise<Record<string, unknown>> {
  if (!action.completeInput || !connection) return input;
  return action.completeInput(input, await openCredentials(gateway, connection));
}
