import { policyActivity } from '../domain/activity.ts';
import type { Policy, PolicyFields } from '../domain/policy.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../domain/principal.ts';
import { updateApprovalPolicy as updateRow } from '../store/approval-policies.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import { checkPolicy } from './check-policy.ts';
import type { PolicyWithSecrets } from './create-approval-policy.ts';
import { followWebhooks } from './follow-webhooks.ts';
import type { Gateway } from './gateway.ts';
import { policyNotFound } from './get-approval-policy.ts';
import { recordActivity } from './record-activity.ts';

/**
 * Changes a policy and raises its version; approvals stay bound to the version they were made under. What stays as it was is not checked
 * again: it may refer to something that is gone. Throws what the check throws, APPROVAL_POLICY_NOT_FOUND.
 */
export async function updateApprovalPolicy(
  gateway: Gateway,
  principal: KeyPrincipal,
  policy: Policy,
  changes: Partial<PolicyFields>,
): Promise<PolicyWithSecrets> {
  if (policy.workspaceId === null) assertOrgWide(principal);
  const { workspaceId = policy.workspaceId, mcpServerIds = [], workspaceIntegrationIds = [], approvers = [] } = changes;
  await checkPolicy(gateway, principal, { workspaceId, mcpServerIds, workspaceIntegrationIds, approvers });
  return gateway.db.transaction(async (tx) => {
    const updated = await updateRow(tx, policy.orgId, policy.id, changes);
    if (!updated) throw policyNotFound();
    const secrets = changes.approvers ? await followWebhooks(gateway, tx, updated) : new Map<string, string>();
    await raisePoliciesVersion(tx, policy.orgId);
    await recordActivity(tx, policyActivity('policy.updated', updated, actorOf(principal)));
    return { policy: updated, secrets };
  });
}
