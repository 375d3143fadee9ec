import { GatewayError, validationError } from '../domain/errors.ts';
import { findWorkspaceIntegration } from '../store/workspace-integrations.ts';
import type { Gateway } from './gateway.ts';

/** What a connect token may be restricted to (specification 4.3). */
export interface ConnectTarget {
  integrationName?: string | undefined;
  workspaceIntegrationId?: string | undefined;
}

/**
 * The restriction as it is kept: an instance brings its integration along. Throws INTEGRATION_NOT_FOUND, NOT_FOUND for an instance of
 * another workspace, VALIDATION_ERROR when the two disagree or the integration needs no account.
 */
export async function checkConnectTarget(
  { catalog, db }: Pick<Gateway, 'catalog' | 'db'>,
  { orgId, workspaceId }: { orgId: string; workspaceId: string },
  { integrationName, workspaceIntegrationId }: ConnectTarget,
): Promise<{ integrationName: string | null; workspaceIntegrationId: string | null }> {
  if (integrationName !== undefined) assertTakesAccounts(catalog, integrationName, 'integrationName');
  if (workspaceIntegrationId === undefined) return { integrationName: integrationName ?? null, workspaceIntegrationId: null };

  const instance = await findWorkspaceIntegration(db, orgId, workspaceId, workspaceIntegrationId);
  if (!instance) throw new GatewayError('NOT_FOUND', "The end user's workspace has no such integration.");
  if (integrationName !== undefined && integrationName !== instance.integrationName) {
    throw validationError([{ path: 'integrationName', message: `is not that of the workspace integration, ${instance.integrationName}` }]);
  }
  assertTakesAccounts(catalog, instance.integrationName, 'workspaceIntegrationId');
  return { integrationName: instance.integrationName, workspaceIntegrationId };
}

function assertTakesAccounts(catalog: Gateway['catalog'], name: string, path: string): void {
  if (catalog.get(name).auth === null)
    throw validationError([{ path, message: `${name} needs no account, so there is nothing to connect` }]);
}
