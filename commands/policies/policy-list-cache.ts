import { comparePolicies, type Policy } from '../../domain/policies/policy.ts';
import { readAhead } from '../../domain/policies/policy-overlap.ts';
import { VersionedCache } from '../../infra/concurrency/versioned-cache.ts';
import type { Db } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { listApprovalPolicies } from '../../store/approval-policies.ts';

/**
 * All policies of an organization in the order of evaluation, including disabled policies, for the
 * dashboard.
 */
export interface PolicyListCache {
  of(scope: { orgId: string; policiesVersion: number }): Promise<readonly Policy[]>;
}

const MAX_ORGS = 200;
/** Maximum length of all cached policies as JSON. In memory they take several times as much. */
const MAX_LENGTH = 16 * 1024 * 1024;

interface PolicyList {
  policies: readonly Policy[];
  length: number;
}

/** Opens the cache of one process. */
export function openPolicyListCache(db: Db): PolicyListCache {
  const cache = new VersionedCache<PolicyList>({ max: MAX_ORGS, size: { max: MAX_LENGTH, of: ({ length }) => length } });
  return {
    of: async ({ orgId, policiesVersion }) => (await cache.get(orgId, policiesVersion, () => load(db, orgId))).policies,
  };
}

async function load(db: Db, orgId: string): Promise<PolicyList> {
  const policies = await listApprovalPolicies(db, { orgId });
  let length = 1;
  for (const policy of policies) {
    readAhead(policy);
    length += JSON.stringify(policy).length;
    await breathe();
  }
  return { policies: policies.sort(comparePolicies), length };
}
