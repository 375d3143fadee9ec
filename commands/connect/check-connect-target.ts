import { GatewayError, validationError } from '../../domain/errors.ts';
import { findWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';

/** A possible restriction of a connect token (specification 4.3). */
export interface ConnectTarget {
  integrationName?: string | undefined;
  workspaceIntegrationId?: string | undefined;
}

/**
 * Resolves the restriction of a connect token. Throws INTEGRATION_NOT_FOUND, NOT_FOUND for an
 * unknown workspace integration, and VALIDATION_ERROR if the integrations differ or need no
 * account.
 */
export async function checkConnectTarget(
  { catalog, db }: Pick<Gateway, 'catalog' | 'db'>,
  { orgId, workspaceId }: { orgId: string; workspaceId: string },
  { integrationName, workspaceIntegrationId }: ConnectTarget,
): Promise<{ integrationName: string | null; workspaceIntegrationId: string | null }> {
  if (integrationName !== undefined) await assertTakesAccounts(catalog, orgId, integrationName, 'integrationName');
  if (workspaceIntegrationId === undefined) return { integrationName: integrationName ?? null, workspaceIntegrationId: null };

  const instance = await findWorkspaceIntegration(db, orgId, workspaceId, workspaceIntegrationId);
  if (!instance) throw new GatewayError('NOT_FOUND', "The end user's workspace has no such integration.");
  if (integrationName !== undefined && integrationName !== instance.integrationName) {
    throw validationError([
      { path: 'integrationName', message: `differs from the integration of the workspace integration, ${instance.integrationName}` },
    ]);
  }
  await assertTakesAccounts(catalog, orgId, instance.integrationName, 'workspaceIntegrationId');
  return { integrationName: instance.integrationName, workspaceIntegrationId };
}

async function assertTakesAccounts(catalog: Gateway['catalog'], orgId: string, name: string, path: string): Promise<void> {
  if ((await catalog.get(orgId, name)).auth === null)
    throw validationError([{ path, message: `${name} needs no account, so there is nothing to connect` }]);
}
