import { GatewayError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { CatalogAction, CatalogIntegration } from '../../integrations/catalog.ts';
import {
  type ConnectionContext,
  findOwnConnection,
  findUsableById,
  listSharedConnections,
  listUsableByExternalId,
  type UsableConnection,
} from '../../store/usable-connections.ts';
import type { Gateway } from '../gateway.ts';

export interface ConnectionRequest {
  orgId: string;
  workspaceId: string;
  integration: Pick<CatalogIntegration, 'name' | 'auth'>;
  /** Null if the workspace has not configured the integration. */
  instance: Pick<WorkspaceIntegration, 'id' | 'alias' | 'connectionStrategy' | 'connectionId'> | null;
  /** External id. */
  endUserId: string | null;
  /** The connection that the called tool names. */
  toolConnectionId?: string | null | undefined;
  /** External id of the connection that the caller names. */
  connectionExternalId?: string | undefined;
}

/**
 * Why a call uses an account. `named`, `of_tool`: the caller or the tool names the account. `own`:
 * it belongs to the end user. `configured`: the workspace integration names it.
 */
type ChosenAs = 'named' | 'of_tool' | 'own' | 'configured' | 'only_shared';

/** The account that a call uses, and the reason for the choice. */
export interface ChosenConnection extends UsableConnection {
  chosenAs: ChosenAs;
}

/**
 * Finds the account that a call uses (specification 4.7; contract decisions 2, Actions); null if
 * the integration needs none. Throws CONNECTION_REQUIRED, and CONNECTION_NOT_FOUND for a named
 * connection.
 */
export async function resolveConnection(gateway: Pick<Gateway, 'db'>, request: ConnectionRequest): Promise<ChosenConnection | null> {
  const { integration, connectionExternalId, toolConnectionId } = request;
  if (integration.auth === null) {
    if (connectionExternalId === undefined) return null;
    throw new GatewayError('CONNECTION_NOT_FOUND', `${integration.name} needs no account, so it has no connections.`);
  }
  const context = contextOf(request);
  const found = await (connectionExternalId !== undefined
    ? findNamed(gateway, request, context, connectionExternalId)
    : toolConnectionId
      ? findOfTool(gateway, request, context, toolConnectionId)
      : request.instance
        ? findByStrategy(gateway, request.instance, context)
        : findAny(gateway, context));
  if (!found) throw required(request, missing(request));
  if (found.status === 'REVOKED') throw required(request, `The connection "${found.externalId}" was revoked. Connect the account again.`);
  if (isGone(found)) throw required(request, mustReconnect(found));
  return found;
}

/**
 * Like `resolveConnection`, for an action: null if the action needs no account, or if none can be
 * used and the account is optional.
 */
export async function resolveForAction(
  gateway: Pick<Gateway, 'db'>,
  { account, auth, integrationName }: Pick<CatalogAction, 'account' | 'auth' | 'integrationName'>,
  request: Omit<ConnectionRequest, 'integration'>,
): Promise<ChosenConnection | null> {
  if (account === 'none') return null;
  try {
    return await resolveConnection(gateway, { ...request, integration: { name: integrationName, auth } });
  } catch (error) {
    const isMissing = error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED';
    if (isMissing && account === 'optional') return null;
    throw error;
  }
}

/**
 * Whether the account must be connected again. Refused access that does not expire is tried again,
 * because the third party can accept it later.
 */
function isGone({ status, statusReason, expiresAt, chosenAs }: ChosenConnection): boolean {
  // Without a choice by call or configuration, no connection in ERROR is used (contract decisions
  // 2, Actions).
  if (chosenAs === 'only_shared') return status === 'ERROR';
  return status === 'ERROR' && statusReason !== null && expiresAt !== null && expiresAt.getTime() <= Date.now();
}

function mustReconnect({ externalId, statusReason }: UsableConnection): string {
  return `The account "${externalId}" has to be connected again${statusReason === null ? '.' : `: ${statusReason}`}`;
}

function contextOf({ orgId, workspaceId, integration, instance, endUserId }: ConnectionRequest): ConnectionContext {
  return { orgId, workspaceId, integrationName: integration.name, endUserId, workspaceIntegrationId: instance?.id ?? null };
}

/**
 * `fixed` allows only the configured connection, and `per_user` only connections of the end user.
 */
async function findNamed({ db }: Pick<Gateway, 'db'>, { instance }: ConnectionRequest, context: ConnectionContext, externalId: string) {
  const named = await listUsableByExternalId(db, context, externalId);
  const allowed = named.find(
    ({ id, scope }) =>
      !instance ||
      (instance.connectionStrategy !== 'per_user' && id === instance.connectionId) ||
      (instance.connectionStrategy !== 'fixed' && scope === 'USER'),
  );
  if (allowed) return chosen('named', allowed);
  throw new GatewayError(
    'CONNECTION_NOT_FOUND',
    named.length > 0 && instance
      ? `${instance.alias} has the strategy ${instance.connectionStrategy}, which does not let a call use that connection.`
      : `There is no such connection of ${context.integrationName} for this call.`,
  );
}

async function findOfTool({ db }: Pick<Gateway, 'db'>, { instance }: ConnectionRequest, context: ConnectionContext, id: string) {
  const found = await findUsableById(db, context, id);
  return instance?.connectionStrategy === 'per_user' && found?.scope !== 'USER' ? undefined : chosen('of_tool', found);
}

async function findByStrategy(
  { db }: Pick<Gateway, 'db'>,
  instance: NonNullable<ConnectionRequest['instance']>,
  context: ConnectionContext,
) {
  const own = instance.connectionStrategy === 'fixed' || context.endUserId === null ? undefined : await findOwnConnection(db, context);
  if (own || instance.connectionStrategy === 'per_user' || instance.connectionId === null) return chosen('own', own);
  return chosen('configured', await findUsableById(db, context, instance.connectionId));
}

/**
 * Finds an account for an unconfigured integration: the end user's own, else a shared one. Throws
 * CONNECTION_REQUIRED if it would have to choose between healthy shared connections.
 */
async function findAny({ db }: Pick<Gateway, 'db'>, context: ConnectionContext) {
  const own = context.endUserId === null ? undefined : await findOwnConnection(db, context);
  if (own) return chosen('own', own);
  const shared = await listSharedConnections(db, context);
  const isHealthy = ({ status }: UsableConnection) => status === 'ACTIVE' || status === 'EXPIRING';
  if (!shared[1] || !shared.every(isHealthy)) return chosen('only_shared', shared[0]);
  throw new GatewayError(
    'CONNECTION_REQUIRED',
    `There are several connections of ${context.integrationName}. Name one by its external id, or configure the integration in the workspace.`,
    { integrationName: context.integrationName },
  );
}

function chosen(chosenAs: ChosenAs, connection: UsableConnection | undefined): ChosenConnection | undefined {
  return connection && { ...connection, chosenAs };
}

function missing({ integration, instance, endUserId, toolConnectionId }: ConnectionRequest): string {
  const name = instance?.alias ?? integration.name;
  if (toolConnectionId) return `The tool of ${name} names a connection that this call cannot use. Change the connection of the tool.`;
  if (instance?.connectionStrategy === 'per_user') {
    return endUserId === null
      ? `${name} uses each end user's own account. Send endUserId.`
      : `The end user has not connected an account to ${name} yet.`;
  }
  return instance
    ? `${name} has lost its connection. Configure another connection for the workspace integration.`
    : `There is no connection of ${name} that this call can use.`;
}

function required({ integration, instance, endUserId }: ConnectionRequest, message: string): GatewayError {
  return new GatewayError('CONNECTION_REQUIRED', message, {
    integrationName: integration.name,
    ...(instance && { integrationAlias: instance.alias, workspaceIntegrationId: instance.id }),
    ...(endUserId !== null && { endUserId }),
  });
}
