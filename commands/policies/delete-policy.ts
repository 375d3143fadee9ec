import { policyActivity } from '../../domain/activity.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteApprovalPolicy as deleteRow } from '../../store/approval-policies.ts';
import { raisePoliciesVersion } from '../../store/orgs.ts';
import { keepDeletedPolicies } from '../../store/policy-versions.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { assertMayWritePolicy } from './check-policy.ts';
import { policyNotFound } from './get-policy.ts';

/**
 * Deletes a policy. Its webhooks still receive the outcome of pending approvals. Throws
 * APPROVAL_POLICY_NOT_FOUND, SCOPE_DENIED and APPROVAL_DECISION_SCOPE_REQUIRED.
 */
export async function deleteApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, policy: Policy): Promise<void> {
  assertMayWritePolicy(principal, policy);
  await gateway.db.transaction(async (tx) => {
    const deleted = await deleteRow(tx, policy);
    if (!deleted) throw policyNotFound();
    await keepDeletedPolicies(tx, policy.orgId, [policy.id], await raisePoliciesVersion(tx, policy.orgId));
    await recordActivity(tx, policyActivity('policy.deleted', deleted, actorOf(principal)));
  });
}
