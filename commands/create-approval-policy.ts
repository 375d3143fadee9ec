import { policyActivity } from '../domain/activity.ts';
import type { Policy, PolicyFields } from '../domain/policy.ts';
import { actorOf, type KeyPrincipal } from '../domain/principal.ts';
import { insertApprovalPolicy } from '../store/approval-policies.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import { checkPolicy } from './check-policy.ts';
import { followWebhooks } from './follow-webhooks.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

export interface PolicyWithSecrets {
  policy: Policy;
  /** Signing secrets made now, by webhook URL. */
  secrets: ReadonlyMap<string, string>;
}

/** Creates a policy; it gates the very next call everywhere. Throws what the check throws. */
export async function createApprovalPolicy(gateway: Gateway, principal: KeyPrincipal, fields: PolicyFields): Promise<PolicyWithSecrets> {
  await checkPolicy(gateway, principal, fields);
  const { orgId } = principal;
  return gateway.db.transaction(async (tx) => {
    const policy = await insertApprovalPolicy(tx, { ...fields, orgId });
    const secrets = await followWebhooks(gateway, tx, policy);
    await raisePoliciesVersion(tx, orgId);
    await recordActivity(tx, policyActivity('policy.created', policy, actorOf(principal)));
    return { policy, secrets };
  });
}
