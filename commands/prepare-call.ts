import type { Actor } from '../domain/approval.ts';
import type { Call, CallOfRun } from '../domain/call.ts';
import { GatewayError, validationError } from '../domain/errors.ts';
import { DEFAULT_STRATEGY, type Source } from '../domain/policy.ts';
import { enablesAction, type WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { CatalogAction } from '../integrations/catalog.ts';
import { parseInput } from '../integrations/parse-input.ts';

/** A call as a door received it: which action, on which configured instance, as whom, with what. */
export interface CallRequest {
  orgId: string;
  workspaceId: string;
  source: Source;
  requestedBy: Actor;
  policiesVersion?: number | undefined;
  action: CatalogAction;
  /** Null where the workspace has not configured the integration. */
  instance: WorkspaceIntegration | null;
  alias: string | null;
  mcpServerId: string | null;
  endUserId: string | null;
  /** Weakest first: what a tool presets, then what the caller sent. */
  defaults: Record<string, unknown> | null;
  input: Record<string, unknown>;
  idempotencyKey?: string | undefined;
  run?: CallOfRun | undefined;
}

/** A call ready for the gate, with what running it needs. */
export interface PreparedCall {
  call: Call;
  action: CatalogAction;
  instance: WorkspaceIntegration | null;
}

/** Merges defaults, validates the input, and fixes everything that an approval will bind to. Throws ACTION_NOT_ALLOWED, VALIDATION_ERROR. */
export function prepareCall(request: CallRequest): PreparedCall {
  const { action, instance } = request;
  if (instance && !enablesAction(instance, action.name)) {
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${action.name} is not enabled on ${instance.alias}.`);
  }
  const input = validInput(action, { ...request.defaults, ...request.input });
  const category = action.categoryOf(input);
  return {
    action,
    instance,
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
      connectionId: null,
      endUserId: request.endUserId,
      category,
      recipients: action.recipients?.(input),
      paths: action.paths?.(input),
      input,
      hiddenPaths: [],
      requestedBy: request.requestedBy,
      arrivedAt: new Date(),
      idempotent: action.idempotent || category === 'read',
      idempotencyKey: request.idempotencyKey,
      policiesVersion: request.policiesVersion,
      run: request.run,
    },
  };
}

function validInput(action: CatalogAction, input: Record<string, unknown>): Record<string, unknown> {
  const parsed = parseInput(action, input);
  if (parsed.ok) return parsed.input;
  throw validationError(parsed.issues.map((issue) => ({ ...issue, path: issue.path ? `input.${issue.path}` : 'input' })));
}
