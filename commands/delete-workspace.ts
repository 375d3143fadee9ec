import { policyActivity } from '../domain/activity.ts';
import type { Actor } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import { revokeWorkspaceFromKeys } from '../store/api-keys.ts';
import { deletePoliciesOfWorkspace } from '../store/approval-policies.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import { closeWorkspace, deleteWorkspace as deleteWorkspaceRow } from '../store/workspaces.ts';
import type { Gateway } from './gateway.ts';
import { inTurn } from './in-turn.ts';
import { recordActivity } from './record-activity.ts';
import { withdrawPending } from './withdraw-pending.ts';

/**
 * Deletes a workspace with everything inside it, in one transaction, and cancels its pending approvals and unfinished code runs.
 * Approvals, receipts and calls are history and stay. Throws NOT_FOUND.
 */
export async function deleteWorkspace(gateway: Gateway, { orgId, id, by }: { orgId: string; id: string; by: Actor }): Promise<void> {
  const transact = () =>
    gateway.db.transaction(async (tx) => {
      if (!(await closeWorkspace(tx, orgId, id))) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
      const policies = await deletePoliciesOfWorkspace(tx, orgId, id);
      await deleteWorkspaceRow(tx, orgId, id);
      await revokeWorkspaceFromKeys(tx, orgId, id);
      const tell = await withdrawPending(gateway, tx, { orgId, workspaceId: id }, 'The workspace was deleted.');
      await raisePoliciesVersion(tx, orgId);
      await recordActivity(tx, ...policies.map((policy) => policyActivity('policy.deleted', policy, by)));
      return tell;
    });
  const tell = await inTurn(id, transact);
  await tell();
}
