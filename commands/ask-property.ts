import { GatewayError } from '../domain/errors.ts';
import { PROPERTY_DEADLINE_SECONDS } from '../domain/limits.ts';
import { enablesAction } from '../domain/workspace-integration.ts';
import { isDatabaseAway } from '../infra/database.ts';
import { OutboundError } from '../infra/outbound-error.ts';
import type { CatalogAction } from '../integrations/catalog.ts';
import type { AuthValue, PropContext } from '../integrations/definition.ts';
import { scrubberOf } from '../integrations/provider-secrets.ts';
import { openCredentials } from './connection-credentials.ts';
import type { Property, PropertyRequest } from './find-property.ts';
import type { Gateway } from './gateway.ts';
import { rejectWhen } from './reject-when.ts';
import { resolveConnection } from './resolve-connection.ts';
import { resolveInstance } from './resolve-instance.ts';

/** The account that an input is asked about with; null for an integration that needs none. */
export interface PropertyAccount {
  auth: AuthValue | null;
}

/**
 * What the choices or fields of an input wait for, in one place for everybody who asks (decisions section 2, Catalogue): undefined while
 * the third party can't be asked, because an input that the answer depends on is missing or no account is connected. Throws what finding
 * the account throws.
 */
export async function openProperty(
  gateway: Gateway,
  { orgId, dynamic }: Property,
  request: PropertyRequest,
): Promise<PropertyAccount | undefined> {
  if (dynamic?.refreshers.some((name) => isMissing(request.input[name]))) return undefined;
  return findAccount(gateway, { ...request, orgId });
}

/**
 * Asks the third party about an input, with the account that a call would act with. Throws ACTION_FAILED with what the third party said,
 * after PROPERTY_DEADLINE_SECONDS at the latest.
 */
export async function askProperty<Answer>(
  gateway: Gateway,
  { auth }: PropertyAccount,
  { action }: Property,
  request: PropertyRequest,
  ask: (context: PropContext) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(PROPERTY_DEADLINE_SECONDS * 1000);
  try {
    return await Promise.race([
      ask({ input: request.input, search: request.searchValue, auth, signal, outbound: gateway.outbound }),
      rejectWhen(signal),
    ]);
  } catch (error) {
    throw signal.aborted ? tooLate() : toFailure(gateway, action, auth, error);
  }
}

/** Undefined where an account is needed and none is connected. */
async function findAccount(gateway: Gateway, request: PropertyRequest & { orgId: string }): Promise<PropertyAccount | undefined> {
  const { orgId, workspaceId, integrationName, connectionExternalId, endUserId = null } = request;
  const { instances } = await gateway.setups.of({ orgId, workspaceId });
  const instance = resolveInstance(instances, request);
  if (instance && !enablesAction(instance, request.actionName)) {
    throw new GatewayError('ACTION_NOT_ALLOWED', `The action ${request.actionName} is not enabled on ${instance.alias}.`);
  }
  const integration = gateway.catalog.get(integrationName);
  try {
    const connection = await resolveConnection(gateway, { orgId, workspaceId, integration, instance, endUserId, connectionExternalId });
    return { auth: connection && (await openCredentials(gateway, connection)) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'CONNECTION_REQUIRED') return undefined;
    throw error;
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function tooLate(): GatewayError {
  return new GatewayError('ACTION_FAILED', `The third party did not answer within ${PROPERTY_DEADLINE_SECONDS} seconds.`);
}

function toFailure(gateway: Gateway, action: CatalogAction, auth: AuthValue | null, error: unknown): unknown {
  if (isDatabaseAway(error)) return error;
  if (error instanceof GatewayError || error instanceof OutboundError) {
    const methods = gateway.catalog.get(action.integrationName).auth ?? [];
    return new GatewayError('ACTION_FAILED', auth ? scrubberOf(auth, methods)(error.message) : error.message);
  }
  // Its message may quote the account, so only its kind is logged.
  gateway.logger.error({ actionName: action.name, thrown: error instanceof Error ? error.name : typeof error }, 'a dynamic input threw');
  return new GatewayError('ACTION_FAILED', 'The third party could not be asked.');
}
