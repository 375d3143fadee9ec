import { policyActivity } from '../../domain/activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { POLICY } from '../../domain/limits.ts';
import type { Policy, PolicyFields } from '../../domain/policies/policy.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import type { Db } from '../../infra/database.ts';
import { countApprovalPolicies, insertApprovalPolicy } from '../../store/approval-policies.ts';
import { lockOrg, raisePoliciesVersion } from '../../store/orgs.ts';
import { insertPolicyVersion } from '../../store/policy-versions.ts';
import { holdWorkspace } from '../../store/workspaces.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { followWebhooks } from '../webhooks/follow-webhooks.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';
import { checkPolicy } from './check-policy.ts';

export interface PolicyWithSecrets {
  policy: Policy;
  /** The signing secrets that were created now, by webhook URL. */
  secrets: ReadonlyMap<string, string>;
}

/**
 * Creates a policy, which applies to the next call in every process. Throws the errors of
 * `checkPolicy`, and QUOTA_EXCEEDED.
 */
export async function createApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, fields: PolicyFields): Promise<PolicyWithSecrets> {
  await checkPolicy(gateway, principal, fields);
  const { orgId } = principal;
  return gateway.db.transaction(async (tx) => {
    // In the lock order of `holdWorkspace`, the organization comes last.
    const { workspaceId } = fields;
    if (workspaceId !== null && !(await holdWorkspace(tx, orgId, workspaceId))) throw noSuchWorkspace();
    await assertRoom(tx, orgId);
    const policy = await insertApprovalPolicy(tx, { ...fields, orgId });
    const secrets = await followWebhooks(gateway, tx, policy);
    const actor = actorOf(principal);
    await insertPolicyVersion(tx, policy, { actor, policiesVersion: await raisePoliciesVersion(tx, orgId) });
    await recordActivity(tx, policyActivity('policy.created', policy, actor));
    return { policy, secrets };
  });
}

/** The lock serializes concurrent creations in the same organization, so the limit is exact. */
async function assertRoom(tx: Db, orgId: string): Promise<void> {
  await lockOrg(tx, orgId);
  const quota = POLICY.maxOfOrg;
  if ((await countApprovalPolicies(tx, orgId)) < quota) return;
  throw new GatewayError('QUOTA_EXCEEDED', `This organization has ${quota} approval policies, the maximum. Delete one first.`, {
    quota,
  });
}
