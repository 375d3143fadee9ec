import { GatewayError } from '../../domain/errors.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import type { CatalogAction, JsonSchema } from '../../integrations/catalog.ts';
import type { DynamicProp } from '../../integrations/definition.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';

/** One input of an action in a workspace, with the values that were filled in so far. */
export interface PropertyRequest {
  workspaceId: string;
  integrationName: string;
  actionName: string;
  propertyName: string;
  input: Record<string, unknown>;
  searchValue?: string | undefined;
  connectionExternalId?: string | undefined;
  workspaceIntegrationId?: string | undefined;
  integrationAlias?: string | undefined;
  endUserId?: string | undefined;
}

export interface Property {
  orgId: string;
  policiesVersion: number;
  action: CatalogAction;
  schema: JsonSchema;
  dynamic: DynamicProp | undefined;
}

/**
 * Finds an input of an action. Throws NOT_FOUND for an unknown input, and the errors of
 * `getWorkspace` and `getAction`.
 */
export async function findProperty(gateway: Gateway, principal: KeyPrincipal, request: PropertyRequest): Promise<Property> {
  const { orgId } = await getWorkspace(gateway, principal, request.workspaceId);
  const action = await gateway.catalog.getAction(orgId, request.integrationName, request.actionName);
  const properties = (action.inputSchema.properties ?? {}) as Record<string, JsonSchema>;
  if (!Object.hasOwn(properties, request.propertyName)) {
    const known = Object.keys(properties).join(', ') || 'none';
    throw new GatewayError('NOT_FOUND', `${action.name} has no input of that name. Its inputs are: ${known}.`);
  }
  return {
    orgId,
    policiesVersion: principal.policiesVersion,
    action,
    schema: properties[request.propertyName]!,
    dynamic: action.dynamic?.[request.propertyName],
  };
}
