import type { Policy } from '../../domain/policies/policy.ts';
import { warnAboutPolicy } from '../../domain/policies/policy-warnings.ts';
import { listPoliciesBefore } from '../../store/approval-policies.ts';
import type { Gateway } from '../gateway.ts';

/** The warnings about a policy among the others of its organization. */
export async function findPolicyWarnings({ db }: Pick<Gateway, 'db'>, policy: Policy): Promise<string[]> {
  return warnAboutPolicy(policy, await listPoliciesBefore(db, policy));
}
