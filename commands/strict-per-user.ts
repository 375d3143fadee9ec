import { GatewayError } from '../domain/errors.ts';
import { isStrictPerUser, sharesStaticToken } from '../domain/static-bearer.ts';
import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { lockMcpServersOf } from '../store/mcp-servers.ts';
import { listStaticTokenHolders } from '../store/mcp-tokens.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';

type Instance = Pick<WorkspaceIntegration, 'integrationName' | 'connectionStrategy' | 'workspaceId'>;

/** True when the workspace has an integration that a shared static token can't serve. */
export async function hasStrictPerUser(catalog: Catalog, db: Db, scope: { orgId: string; workspaceId: string }): Promise<boolean> {
  const instances = await listWorkspaceIntegrations(db, scope.orgId, scope.workspaceId);
  return instances.some((instance) => isStrict(catalog, instance));
}

/** Throws MCP_BEARER_BLOCKS_PER_USER when the instance is strictly per user and a server of its workspace shares a static token. */
export async function assertServable(catalog: Catalog, tx: Db, instance: Instance): Promise<void> {
  if (!isStrict(catalog, instance)) return;
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

function isStrict(catalog: Catalog, { connectionStrategy, integrationName }: Instance): boolean {
  const integration = catalog.find(integrationName);
  return isStrictPerUser(connectionStrategy, integration !== undefined && integration.auth !== null);
}
