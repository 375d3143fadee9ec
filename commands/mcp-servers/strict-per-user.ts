import { GatewayError } from '../../domain/errors.ts';
import { sharesStaticToken } from '../../domain/mcp-server.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import { lockMcpServersOf } from '../../store/mcp-servers.ts';
import { listStaticTokenHolders } from '../../store/mcp-tokens.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import type { OrgCatalog } from '../integrations/org-catalog.ts';

type Instance = Pick<WorkspaceIntegration, 'orgId' | 'integrationName' | 'connectionStrategy' | 'workspaceId'>;

/** True if the workspace has an integration that a shared static token cannot serve. */
export async function hasStrictPerUser(catalog: OrgCatalog, db: Db, scope: { orgId: string; workspaceId: string }): Promise<boolean> {
  const instances = await listWorkspaceIntegrations(db, scope.orgId, scope.workspaceId);
  const strict = await Promise.all(instances.map((instance) => isStrict(catalog, db, instance)));
  return strict.includes(true);
}

/**
 * Throws MCP_BEARER_BLOCKS_PER_USER if a shared static token of the workspace cannot serve a
 * workspace integration.
 */
export async function assertServable(catalog: OrgCatalog, tx: Db, instance: Instance): Promise<void> {
  if (!(await isStrict(catalog, tx, instance))) return;
  const sharing = (await lockMcpServersOf(tx, instance.workspaceId)).filter(sharesStaticToken);
  const holders = await listStaticTokenHolders(tx, instance.workspaceId);
  const blocking = sharing.filter(({ id }) => holders.includes(id));
  if (blocking.length === 0) return;
  throw new GatewayError(
    'MCP_BEARER_BLOCKS_PER_USER',
    'An MCP server of this workspace shares a static bearer token, which names no end user. Set its authMode to oauth, scope it to one end user with endUserId, or use the strategy per_user_with_fallback here.',
    { mcpServerIds: blocking.map((server) => server.id) },
  );
}

/** Whether every caller needs their own account (contract decisions 4, Strict per-user). */
async function isStrict(catalog: OrgCatalog, db: Db, { orgId, connectionStrategy, integrationName }: Instance): Promise<boolean> {
  if (connectionStrategy !== 'per_user') return false;
  const integration = await catalog.find(orgId, integrationName, db);
  return integration !== undefined && integration.auth !== null;
}
