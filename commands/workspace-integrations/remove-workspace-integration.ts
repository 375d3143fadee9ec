import { GatewayError } from '../../domain/errors.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { deleteWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import type { Gateway } from '../gateway.ts';
import { changeSurface } from '../surfaces/change-surface.ts';

/**
 * Removes an integration from a workspace and its synced tools from every server, and cancels
 * pending approvals of its calls. Throws NOT_FOUND.
 */
export async function removeWorkspaceIntegration(
  gateway: Gateway,
  { orgId, workspaceId, id }: Pick<WorkspaceIntegration, 'orgId' | 'workspaceId' | 'id'>,
): Promise<void> {
  const notify = await changeSurface(gateway.db, workspaceId, async (tx) => {
    if (!(await deleteWorkspaceIntegration(tx, orgId, workspaceId, id)))
      throw new GatewayError('NOT_FOUND', 'The workspace has no such integration.');
    return withdrawPending(gateway, tx, { orgId, workspaceId, workspaceIntegrationId: id }, 'The workspace integration was removed.');
  });
  await notify();
}
