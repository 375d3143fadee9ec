import type { Actor } from '../../domain/approval.ts';
import { workspaceIntegrationActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import { renameSyncedMcpTools, reorderSyncedMcpTools } from '../../store/mcp-tools.ts';
import {
  findWorkspaceIntegration,
  type NewWorkspaceIntegration,
  updateWorkspaceIntegration as updateRow,
} from '../../store/workspace-integrations.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { assertServable } from '../mcp-servers/strict-per-user.ts';
import { syncInstance } from '../mcp-servers/sync-tools.ts';
import { changeSurface } from '../surfaces/change-surface.ts';
import { assertAliasFree, refuseTakenAlias } from './add-workspace-integration.ts';
import { checkWorkspaceIntegration } from './check-workspace-integration.ts';

export type InstanceChanges = Partial<Omit<NewWorkspaceIntegration, 'orgId' | 'workspaceId' | 'integrationName'>>;

const FIELDS = [
  'alias',
  'displayName',
  'connectionStrategy',
  'connectionId',
  'enabledActions',
  'settings',
  'sortOrder',
] as const satisfies readonly (keyof InstanceChanges)[];

/**
 * Changes a workspace integration and its synced tools. Throws NOT_FOUND and the errors of
 * `addWorkspaceIntegration`.
 */
export async function updateWorkspaceIntegration(
  gateway: Gateway,
  by: Actor,
  place: Pick<WorkspaceIntegration, 'orgId' | 'workspaceId' | 'id'>,
  changes: InstanceChanges,
): Promise<WorkspaceIntegration> {
  return changeSurface(gateway.db, place.workspaceId, async (tx) => {
    const current = await getInstance(tx, place);
    const next = { ...current, ...changes };
    await checkWorkspaceIntegration(gateway.catalog, tx, next, changes);
    if (next.alias !== current.alias) await assertAliasFree(tx, next);
    if (next.connectionStrategy !== current.connectionStrategy) await assertServable(gateway.catalog, tx, next);
    const updated = (await updateRow(tx, place.orgId, place.id, changes))!;
    await reorderSyncedMcpTools(tx, updated.id, { from: current.sortOrder, to: updated.sortOrder });
    if (updated.alias !== current.alias) await renameSyncedMcpTools(tx, updated.id, updated.alias);
    await syncInstance(gateway.catalog, tx, updated);
    const changed = changedFields(current, updated, FIELDS);
    if (changed.length > 0)
      await recordActivity(tx, workspaceIntegrationActivity('workspace_integration.updated', updated, by, { changed }));
    return updated;
  }).catch(refuseTakenAlias);
}

async function getInstance(
  tx: Db,
  { orgId, workspaceId, id }: Pick<WorkspaceIntegration, 'orgId' | 'workspaceId' | 'id'>,
): Promise<WorkspaceIntegration> {
  const instance = await findWorkspaceIntegration(tx, orgId, workspaceId, id);
  if (!instance) throw new GatewayError('NOT_FOUND', 'The workspace has no such integration.');
  return instance;
}
