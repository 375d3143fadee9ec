import { LRUCache } from 'lru-cache';
import { comparePolicies } from '../domain/policy.ts';
import { type PolicySet, policySet } from '../domain/policy-set.ts';
import type { Db } from '../infra/database.ts';
import { listEnabledPolicies } from '../store/approval-policies.ts';
import { readPoliciesVersion } from '../store/orgs.ts';

/**
 * The policies of a workspace in the order in which they are asked. Kept in memory while the organization's version stands,
 * so a policy made by another process gates the very next call here.
 */
export interface PolicyCache {
  of(scope: { orgId: string; workspaceId: string; policiesVersion?: number | undefined }): Promise<PolicySet>;
}

const MAX_WORKSPACES = 2000;

export function openPolicyCache(db: Db): PolicyCache {
  const kept = new LRUCache<string, { version: number; policies: PolicySet }>({ max: MAX_WORKSPACES });
  return {
    async of({ orgId, workspaceId, policiesVersion }) {
      const version = policiesVersion ?? (await readPoliciesVersion(db, orgId));
      const key = `${orgId}/${workspaceId}`;
      const known = kept.get(key);
      if (known && known.version >= version) return known.policies;
      const policies = policySet((await listEnabledPolicies(db, orgId, workspaceId)).sort(comparePolicies));
      kept.set(key, { version, policies });
      return policies;
    },
  };
}
