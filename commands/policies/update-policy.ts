import { policyActivity } from '../../domain/activity.ts';
import type { Policy, PolicyFields } from '../../domain/policies/policy.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../../domain/principal.ts';
import { updateApprovalPolicy as updateRow } from '../../store/approval-policies.ts';
import { raisePoliciesVersion } from '../../store/orgs.ts';
import { insertPolicyVersion } from '../../store/policy-versions.ts';
import { holdWorkspace } from '../../store/workspaces.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { followWebhooks } from '../webhooks/follow-webhooks.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';
import { checkMove, checkPolicy } from './check-policy.ts';
import type { PolicyWithSecrets } from './create-policy.ts';
import { policyNotFound } from './get-policy.ts';

/**
 * Changes a policy and raises its version. Approvals stay bound to the version under which they
 * were made. Throws APPROVAL_POLICY_NOT_FOUND, NOT_FOUND, SCOPE_DENIED, and the errors of
 * `checkPolicy` and `checkMove`.
 */
export async function updateApprovalPolicy(
  gateway: Gateway,
  principal: KeyPrincipal,
  policy: Policy,
  changes: Partial<PolicyFields>,
  restoredVersion?: number,
): Promise<PolicyWithSecrets> {
  if (policy.workspaceId === null) assertOrgWide(principal);
  const { workspaceId = policy.workspaceId, mcpServerIds = [], workspaceIntegrationIds = [], approvers = [] } = changes;
  await checkPolicy(gateway, principal, { workspaceId, mcpServerIds, workspaceIntegrationIds, approvers });
  if (workspaceId !== policy.workspaceId) await checkMove(gateway, policy.orgId, { ...policy, ...changes, workspaceId });
  return gateway.db.transaction(async (tx) => {
    // In the lock order of `holdWorkspace`, the workspace comes before the records in it.
    const movesTo = changes.workspaceId ?? null;
    if (movesTo !== null && !(await holdWorkspace(tx, policy.orgId, movesTo))) throw noSuchWorkspace();
    const updated = await updateRow(tx, policy, changes);
    if (!updated) throw policyNotFound();
    const secrets = changes.approvers ? await followWebhooks(gateway, tx, updated) : new Map<string, string>();
    const [actor, policiesVersion] = [actorOf(principal), await raisePoliciesVersion(tx, policy.orgId)];
    await insertPolicyVersion(tx, updated, { actor, policiesVersion, restoredVersion });
    await recordActivity(tx, policyActivity('policy.updated', updated, actor, restoredVersion));
    return { policy: updated, secrets };
  });
}
