import { policyActivity } from '../domain/activity.ts';
import type { Policy } from '../domain/policy.ts';
import { actorOf, assertOrgWide, type KeyPrincipal } from '../domain/principal.ts';
import { deleteApprovalPolicy as deleteRow } from '../store/approval-policies.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import type { Gateway } from './gateway.ts';
import { policyNotFound } from './get-approval-policy.ts';
import { recordActivity } from './record-activity.ts';

/** Deletes a policy; the history of its approvals stays, and webhooks still hear how pending ones end. Throws APPROVAL_POLICY_NOT_FOUND, SCOPE_DENIED. */
export async function deleteApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, { orgId, workspaceId, id }: Policy): Promise<void> {
  if (workspaceId === null) assertOrgWide(principal);
  await gateway.db.transaction(async (tx) => {
    const deleted = await deleteRow(tx, orgId, id);
    if (!deleted) throw policyNotFound();
    await raisePoliciesVersion(tx, orgId);
    await recordActivity(tx, policyActivity('policy.deleted', deleted, actorOf(principal)));
  });
}
