import { policyActivity } from '../../domain/activity.ts';
import { workspaceActivity } from '../../domain/audit/setup-activity.ts';
import { actorOf, assertMayWritePolicies, type KeyPrincipal } from '../../domain/principal.ts';
import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import { revokeWorkspaceFromKeys } from '../../store/api-keys.ts';
import { deletePoliciesOfWorkspace, hasGates } from '../../store/approval-policies.ts';
import { raisePoliciesVersion } from '../../store/orgs.ts';
import { keepDeletedPolicies } from '../../store/policy-versions.ts';
import { closeWorkspace, deleteWorkspace as deleteWorkspaceRow } from '../../store/workspaces.ts';
import { withdrawPending } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { noSuchWorkspace } from './get-workspace.ts';

/**
 * Deletes a workspace. Approvals, receipts and calls stay as history. Throws NOT_FOUND. Throws
 * APPROVAL_DECISION_SCOPE_REQUIRED if there are policies or pending approvals and the key may not
 * write policies, because the key could otherwise remove the gates of its own calls.
 */
export async function deleteWorkspace(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<void> {
  const { orgId } = principal;
  const transact = () =>
    gateway.db.transaction(async (tx) => {
      const workspace = await closeWorkspace(tx, orgId, id);
      if (!workspace) throw noSuchWorkspace();
      if (await hasGates(tx, orgId, id)) assertMayWritePolicies(principal);
      const policies = await deletePoliciesOfWorkspace(tx, orgId, id);
      await deleteWorkspaceRow(tx, orgId, id);
      await revokeWorkspaceFromKeys(tx, orgId, id);
      const notify = await withdrawPending(gateway, tx, { orgId, workspaceId: id }, 'The workspace was deleted.');
      const ids = policies.map((policy) => policy.id);
      await keepDeletedPolicies(tx, orgId, ids, await raisePoliciesVersion(tx, orgId));
      const by = actorOf(principal);
      const gone = policies.map((policy) => policyActivity('policy.deleted', policy, by));
      await recordActivity(tx, ...gone, workspaceActivity('workspace.deleted', workspace, by));
      return notify;
    });
  const notify = await withKeyLock(id, transact);
  await notify();
}
