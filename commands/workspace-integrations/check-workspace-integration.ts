import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { ConnectionStrategy } from '../../domain/policies/policy.ts';
import { keepsState, type WorkspaceIntegrationSettings } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import type { CatalogIntegration } from '../../integrations/catalog.ts';
import { findConnection } from '../../store/connections.ts';
import type { OrgCatalog } from '../integrations/org-catalog.ts';

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
 * Validates the resulting state of a workspace integration, on POST and on PATCH (specification
 * 2.6, contract decisions 4). Throws INTEGRATION_NOT_FOUND, CONNECTION_NOT_FOUND, and
 * VALIDATION_ERROR with all issues.
 */
export async function checkWorkspaceIntegration(
  catalog: OrgCatalog,
  db: Db,
  state: InstanceState,
  changes: Partial<InstanceState> = state,
): Promise<void> {
  const integration = await catalog.get(state.orgId, state.integrationName, db);
  // If an instance has lost its connection, or a refresh has removed an enabled action, its other
  // fields can still be changed.
  const concernsConnection = changes.connectionId !== undefined || changes.connectionStrategy !== undefined;
  const issues = [
    ...(concernsConnection ? [...(await checkConnection(db, state)), ...strategyIssues(integration, state)] : []),
    ...(changes.enabledActions !== undefined ? actionIssues(integration, state) : []),
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
  return [
    { path: 'connectionId', message: "is an end user's own account, which all callers would then use. Choose an account of the workspace" },
  ];
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
      ? [{ path: 'settings.persistence', message: `has no effect on ${integrationName}, which keeps no state` }]
      : []),
    ...(settings.advancedCode && integrationName !== 'advanced-code'
      ? [{ path: 'settings.advancedCode', message: 'is only for the integration advanced-code' }]
      : []),
  ];
}
