import { GatewayError, type Issue, validationError } from '../domain/errors.ts';
import type { ConnectionStrategy } from '../domain/policy.ts';
import { keepsState, type WorkspaceIntegrationSettings } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import type { Catalog, CatalogIntegration } from '../integrations/catalog.ts';
import { findConnection } from '../store/connections.ts';

export interface InstanceState {
  orgId: string;
  workspaceId: string;
  integrationName: string;
  connectionStrategy: ConnectionStrategy;
  connectionId: string | null;
  enabledActions: string[] | null;
  settings: WorkspaceIntegrationSettings;
}

/**
 * Checks the state that a workspace integration would have, on PATCH as on POST (specification 2.6, decisions section 4); its connection
 * where the changes are about it.
 * Throws INTEGRATION_NOT_FOUND, CONNECTION_NOT_FOUND, VALIDATION_ERROR with every issue.
 */
export async function checkWorkspaceIntegration(
  catalog: Catalog,
  db: Db,
  state: InstanceState,
  changes: Partial<InstanceState> = state,
): Promise<void> {
  const integration = catalog.get(state.integrationName);
  // What lost its connection can still be changed otherwise.
  const isAboutConnection = changes.connectionId !== undefined || changes.connectionStrategy !== undefined;
  const issues = [
    ...(isAboutConnection ? [...(await checkConnection(db, state)), ...strategyIssues(integration, state)] : []),
    ...actionIssues(integration, state),
    ...settingsIssues(state),
  ];
  if (issues.length > 0) throw validationError(issues);
}

async function checkConnection(db: Db, { orgId, workspaceId, integrationName, connectionId }: InstanceState): Promise<Issue[]> {
  if (connectionId === null) return [];
  const connection = await findConnection(db, orgId, connectionId);
  if (!connection || (connection.workspaceId !== null && connection.workspaceId !== workspaceId)) {
    throw new GatewayError('CONNECTION_NOT_FOUND', 'The workspace has no such connection.');
  }
  if (connection.integrationName !== integrationName)
    return [{ path: 'connectionId', message: `is a connection of ${connection.integrationName}, not of ${integrationName}` }];
  if (connection.scope !== 'USER') return [];
  return [{ path: 'connectionId', message: "is an end user's own account: everybody would act with it. Link one of the workspace" }];
}

function strategyIssues(integration: CatalogIntegration, { connectionStrategy, connectionId }: InstanceState): Issue[] {
  if (integration.auth === null || connectionStrategy === 'per_user' || connectionId !== null) return [];
  return [
    { path: 'connectionId', message: `is required for the strategy ${connectionStrategy}, because ${integration.name} needs an account` },
  ];
}

function actionIssues(integration: CatalogIntegration, { enabledActions }: InstanceState): Issue[] {
  return (enabledActions ?? []).flatMap((name, index) =>
    integration.actions.has(name) ? [] : [{ path: `enabledActions.${index}`, message: `${integration.name} has no action of this name` }],
  );
}

function settingsIssues({ integrationName, settings }: InstanceState): Issue[] {
  return [
    ...(settings.persistence && !keepsState(integrationName)
      ? [{ path: 'settings.persistence', message: `means nothing to ${integrationName}, which keeps no state` }]
      : []),
    ...(settings.advancedCode && integrationName !== 'advanced-code'
      ? [{ path: 'settings.advancedCode', message: 'is for the integration advanced-code alone' }]
      : []),
  ];
}
