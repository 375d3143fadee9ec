import { LRUCache } from 'lru-cache';
import { comparePolicies, type Policy } from '../domain/policy.ts';
import type { Db } from '../infra/database.ts';
import { listEnabledPolicies } from '../store/approval-policies.ts';
import { readPoliciesVersion } from '../store/orgs.ts';

/**
 * The policies of a workspace in the order in which they are asked. Kept in memory while the organization's version stands,
 * so a policy made by another process gates the very next call here.
 */
export interface PolicyCache {
  of(scope: { orgId: string; workspaceId: string; policiesVersion?: number | undefined }): Promise<readonly Policy[]>;
}

const MAX_WORKSPACES = 2000;

export function openPolicyCache(db: Db): PolicyCache {
  const kept = new LRUCache<string, { version: number; policies: readonly Policy[] }>({ max: MAX_WORKSPACES });
  return {
    async of({ orgId, workspaceId, policiesVersion }) {
      const version = policiesVersion ?? (await readPoliciesVersion(db, orgId));
      const key = `${orgId}/${workspaceId}`;
      const known = kept.get(key);
      if (known && known.version >= version) return known.policies;
      const policies = (await listEnabledPolicies(db, orgId, workspaceId)).sort(comparePolicies);
      kept.set(key, { version, policies });
      return policies;
    },
  };
}
