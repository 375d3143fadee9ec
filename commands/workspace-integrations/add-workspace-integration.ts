import type { Actor } from '../../domain/approval.ts';
import { workspaceIntegrationActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { type Db, isDuplicate } from '../../infra/database.ts';
import { listServersUsingAlias } from '../../store/mcp-tools.ts';
import { insertWorkspaceIntegration, type NewWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { assertServable } from '../mcp-servers/strict-per-user.ts';
import { syncInstance } from '../mcp-servers/sync-tools.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { checkWorkspaceIntegration } from './check-workspace-integration.ts';

/**
 * Adds an integration to a workspace, and its tools to the workspace's MCP servers. Throws
 * ALIAS_CONFLICT, DUPLICATE, MCP_BEARER_BLOCKS_PER_USER, NOT_FOUND, and the errors of
 * `checkWorkspaceIntegration`.
 */
export async function addWorkspaceIntegration(
  gateway: Gateway,
  by: Actor,
  instance: NewWorkspaceIntegration,
): Promise<WorkspaceIntegration> {
  await checkWorkspaceIntegration(gateway.catalog, gateway.db, instance);
  return changeSurface(gateway.db, instance.workspaceId, async (tx) => {
    await gateway.catalog.hold(instance.orgId, instance.integrationName, tx);
    await assertAliasFree(tx, instance);
    await assertServable(gateway.catalog, tx, instance);
    const added = await insertWorkspaceIntegration(tx, instance);
    await recordActivity(tx, workspaceIntegrationActivity('workspace_integration.added', added, by));
    await syncInstance(gateway.catalog, tx, added);
    return added;
  }).catch(refuseTakenAlias);
}

/**
 * Throws ALIAS_CONFLICT if manual tools use the alias for another integration. Such tools hide the
 * workspace integration on their MCP server.
 */
export async function assertAliasFree(
  tx: Db,
  instance: Pick<WorkspaceIntegration, 'workspaceId' | 'alias' | 'integrationName'>,
): Promise<void> {
  const using = await listServersUsingAlias(tx, instance);
  if (using.length === 0) return;
  throw new GatewayError(
    'ALIAS_CONFLICT',
    `Manual tools use the alias ${instance.alias} for ${using[0]!.integrationName}. Choose another alias.`,
    { mcpServerIds: using.map(({ serverId }) => serverId) },
  );
}

/** Throws DUPLICATE if the alias is taken. Rethrows any other error. */
export function refuseTakenAlias(error: unknown): never {
  if (isDuplicate(error)) throw new GatewayError('DUPLICATE', 'Another integration of this workspace has this alias.');
  throw error;
}
