import { GatewayError } from '../domain/errors.ts';
import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import { isDuplicate } from '../infra/database.ts';
import { insertWorkspaceIntegration, type NewWorkspaceIntegration } from '../store/workspace-integrations.ts';
import { changeSurface } from './change-surface.ts';
import { checkWorkspaceIntegration } from './check-workspace-integration.ts';
import type { Gateway } from './gateway.ts';
import { assertServable } from './strict-per-user.ts';
import { syncInstance } from './sync-tools.ts';

/** Adds an integration to a workspace and its tools to the workspace's servers. Throws what the check throws, DUPLICATE, MCP_BEARER_BLOCKS_PER_USER. */
export async function addWorkspaceIntegration(gateway: Gateway, instance: NewWorkspaceIntegration): Promise<WorkspaceIntegration> {
  await checkWorkspaceIntegration(gateway.catalog, gateway.db, instance);
  return changeSurface(gateway.db, instance.workspaceId, async (tx) => {
    await assertServable(gateway.catalog, tx, instance);
    const added = await insertWorkspaceIntegration(tx, instance);
    await syncInstance(gateway.catalog, tx, added);
    return added;
  }).catch(refuseTakenAlias);
}

/** Turns a broken unique constraint on the alias into DUPLICATE. */
export function refuseTakenAlias(error: unknown): never {
  if (isDuplicate(error)) throw new GatewayError('DUPLICATE', 'Another integration of this workspace has this alias.');
  throw error;
}
