import { GatewayError } from '../../domain/errors.ts';
import { PROPERTY_DEADLINE_SECONDS } from '../../domain/limits.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { rejectOnAbort } from '../../infra/concurrency/reject-on-abort.ts';
import { isDatabaseUnavailable } from '../../infra/database.ts';
import { OutboundError } from '../../infra/outbound-error.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import type { AuthValue, PropContext } from '../../integrations/definition.ts';
import { scrubberOf } from '../../integrations/provider-secrets.ts';
import type { UsableConnection } from '../../store/usable-connections.ts';
import { runAsAccount } from '../calls/run-as-account.ts';
import { currentCredentials } from '../connections/refresh-connection.ts';
import { resolveConnection } from '../connections/resolve-connection.ts';
import type { Gateway } from '../gateway.ts';
import { resolveInstance } from '../workspace-integrations/resolve-instance.ts';
import { assertMayAsk } from './assert-may-ask.ts';
import type { Property, PropertyRequest } from './find-property.ts';

/** The account for questions about a dynamic input. Null for an integration that needs none. */
export type PropertyAccount = UsableConnection | null;

/**
 * Finds the account with which to ask about a dynamic input (contract decisions 2, Catalogue).
 * Returns undefined if no account is connected, or if an input on which the answer depends is
 * missing.
 */
export async function openProperty(gateway: Gateway, property: Property, request: PropertyRequest): Promise<PropertyAccount | undefined> {
  const { action, dynamic } = property;
  const lacks = (input: PropertyRequest['input']) => dynamic?.refreshers.some((name) => isMissing(input[name])) ?? false;
  const isIncomplete = lacks(request.input);
  if (isIncomplete && !action.completeInput) return undefined;
  const account = await findAccount(gateway, property, request);
  if (!account || !isIncomplete) return isIncomplete ? undefined : account;
  const auth = await currentCredentials(gateway, account).catch(withoutAccount);
  return auth === undefined || lacks(action.completeInput!(request.input, auth)) ? undefined : account;
}

/**
 * Asks the third party about an input, with the account that a call would use. Throws
 * CONNECTION_REQUIRED if the account must be connected again, and ACTION_FAILED.
 */
export async function askProperty<Answer>(
  gateway: Gateway,
  connection: PropertyAccount,
  { action }: Pick<Property, 'action'>,
  { input, searchValue: search }: Pick<PropertyRequest, 'input' | 'searchValue'>,
  ask: (context: PropContext) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(PROPERTY_DEADLINE_SECONDS * 1000);
  let used: AuthValue | null = null;
  const askWith = (auth: AuthValue | null, outbound: Outbound) => {
    used = auth;
    return ask({ input, search, auth, signal, outbound });
  };
  const { outbound } = gateway;
  const run = () =>
    connection ? runAsAccount(gateway, { call: { idempotent: true }, connection, outbound, signal }, askWith) : askWith(null, outbound);
  try {
    return await Promise.race([run(), rejectOnAbort(signal)]);
  } catch (error) {
    throw signal.aborted ? timedOut() : toFailure(gateway, action, used, error);
  }
}

/** Like `askProperty`, but returns undefined if the account must be connected again. */
export async function askConnected<Answer>(...asked: Parameters<typeof askProperty<Answer>>): Promise<Answer | undefined> {
  return askProperty(...asked).catch(withoutAccount);
}

function withoutAccount(error: unknown): undefined {
  if (error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED') return undefined;
  throw error;
}

/** Undefined if the integration needs an account and none is connected. */
async function findAccount(
  gateway: Gateway,
  { orgId, policiesVersion, action }: Property,
  request: PropertyRequest,
): Promise<PropertyAccount | undefined> {
  const { workspaceId, integrationName, connectionExternalId, endUserId = null } = request;
  const { instances } = await gateway.setups.of({ orgId, workspaceId });
  const instance = resolveInstance(instances, request);
  const { propertyName, input } = request;
  const place = { orgId, workspaceId, policiesVersion, source: 'rest' as const, mcpServerId: null, endUserId, instance };
  const alias = instance?.alias ?? integrationName;
  await assertMayAsk(gateway, { ...place, alias, action, propertyName, input });
  const integration = await gateway.catalog.get(orgId, integrationName);
  const wanted = { orgId, workspaceId, integration, instance, endUserId, connectionExternalId };
  return resolveConnection(gateway, wanted).catch(withoutAccount);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function timedOut(): GatewayError {
  return new GatewayError('ACTION_FAILED', `The third party did not answer within ${PROPERTY_DEADLINE_SECONDS} seconds.`);
}

function toFailure(gateway: Gateway, action: CatalogAction, auth: AuthValue | null, error: unknown): unknown {
  if (isDatabaseUnavailable(error)) return error;
  if (error instanceof GatewayError || error instanceof OutboundError) {
    const message = auth ? scrubberOf(auth, action.auth ?? [])(error.message) : error.message;
    const isGone = error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED';
    return isGone ? new GatewayError(error.code, message, error.details) : new GatewayError('ACTION_FAILED', message);
  }
  // The message can contain credentials, so the log gets only the name of the error.
  gateway.logger.error({ actionName: action.name, thrown: error instanceof Error ? error.name : typeof error }, 'dynamic input failed');
  return new GatewayError('ACTION_FAILED', 'The third party could not be asked.');
}
