import type { Actor } from '../../domain/approval.ts';
import { workspaceIntegrationActivity } from '../../domain/audit/setup-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { deleteWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';

/**
 * Removes an integration from a workspace, removes its tools from all MCP servers, and cancels the
 * pending approvals that depend on it. Throws NOT_FOUND.
 */
export async function removeWorkspaceIntegration(
  gateway: Gateway,
  by: Actor,
  { orgId, workspaceId, id }: Pick<WorkspaceIntegration, 'orgId' | 'workspaceId' | 'id'>,
): Promise<void> {
  const notify = await changeSurface(gateway.db, workspaceId, async (tx) => {
    const removed = await deleteWorkspaceIntegration(tx, orgId, workspaceId, id);
    if (!removed) throw new GatewayError('NOT_FOUND', 'The workspace has no such integration.');
    await recordActivity(tx, workspaceIntegrationActivity('workspace_integration.removed', removed, by));
    return withdrawPending(gateway, tx, { orgId, workspaceId, workspaceIntegrationId: id }, 'The workspace integration was removed.');
  });
  await notify();
}
