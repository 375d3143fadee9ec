import { LRUCache } from 'lru-cache';
import { comparePolicies, type Policy } from '../../domain/policies/policy.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Db } from '../../infra/database.ts';
import { listEnabledPolicies } from '../../store/approval-policies.ts';
import { readPoliciesVersion } from '../../store/orgs.ts';
import { preparePolicies } from './prepare-policies.ts';
import { readInPages } from './read-in-pages.ts';

/**
 * The policies of a workspace, in the order of evaluation. A policy that another process stores
 * applies to the next call.
 */
export interface PolicyCache {
  of(scope: { orgId: string; workspaceId: string; policiesVersion?: number | undefined }): Promise<PolicySet>;
}

const MAX_WORKSPACES = 2000;

/** Opens the cache of one process. */
export function openPolicyCache(db: Db): PolicyCache {
  const kept = new LRUCache<string, { version: number; policies: PolicySet }>({ max: MAX_WORKSPACES });
  return {
    async of({ orgId, workspaceId, policiesVersion }) {
      const version = policiesVersion ?? (await readPoliciesVersion(db, orgId));
      const key = `${orgId}/${workspaceId}`;
      const known = kept.get(key);
      if (known && known.version >= version) return known.policies;
      const loaded = await load(db, { orgId, workspaceId, version });
      const policies = { ...(await preparePolicies(loaded.policies.sort(comparePolicies))), version: loaded.version };
      kept.set(key, { version: loaded.version ?? version, policies });
      return policies;
    },
  };
}

const TRIES = 3;

interface Scope {
  orgId: string;
  workspaceId: string;
  version: number;
}

/** The version is undefined if policies changed during every attempt. */
async function load(db: Db, scope: Scope): Promise<{ policies: Policy[]; version: number | undefined }> {
  let { version } = scope;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const policies = await readInPages((page) => listEnabledPolicies(db, { ...scope, ...page }));
    const current = await readPoliciesVersion(db, scope.orgId);
    if (current === version) return { policies, version };
    version = current;
  }
  return { policies: await listEnabledPolicies(db, scope), version: undefined };
}
