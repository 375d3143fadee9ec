import { POLICY } from '../../domain/limits.ts';
import { comparePolicies, type Policy } from '../../domain/policies/policy.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Db } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { findPoliciesVersionAt, type HeldPolicy, listHeldPolicies } from '../../store/policy-versions.ts';
import { preparePolicies } from './prepare-policies.ts';

/** The policies of an organization as they were when calls were judged. */
export interface PolicyHistory {
  /** Undefined if the policies at this version are no longer known. */
  at(policiesVersion: number): Promise<PolicySet | undefined>;
}

const PAGE = 100;

/**
 * Opens the history of the policies that judged calls at or after `since`. `change` modifies each
 * list of policies. A history beyond its limits begins later.
 */
export async function openPolicyHistory(
  db: Db,
  orgId: string,
  since: Date,
  change: (policies: readonly Policy[]) => readonly Policy[] = (policies) => policies,
): Promise<PolicyHistory> {
  const { held, begins } = await readHistory(db, orgId, await findPoliciesVersionAt(db, orgId, since));
  const policies = held.map((one) => ({ ...one, policy: toPolicy(orgId, one) }));
  let latest: { version: number; policies: PolicySet } | undefined;
  return {
    async at(version) {
      if (version < begins) return undefined;
      if (latest?.version !== version) {
        const then = policies.filter(({ from, until }) => from <= version && (until === null || until > version));
        const sorted = [...change(then.map(({ policy }) => policy))].sort(comparePolicies);
        latest = { version, policies: await preparePolicies(sorted) };
      }
      return latest.policies;
    },
  };
}

/** Policies that ended earliest come last, so a cut history is complete from `begins` on. */
async function readHistory(db: Db, orgId: string, first: number): Promise<{ held: HeldPolicy[]; begins: number }> {
  const { maxVersions, maxVersionBytes } = POLICY.backtest;
  const held: HeldPolicy[] = [];
  for (let bytes = 0; ; ) {
    const page = await listHeldPolicies(db, orgId, { since: first, limit: PAGE, offset: held.length });
    held.push(...page);
    bytes += page.reduce((sum, one) => sum + one.bytes, 0);
    if (page.length < PAGE) return { held, begins: first };
    if (held.length >= maxVersions || bytes > maxVersionBytes) return { held, begins: held.at(-1)!.until ?? Infinity };
    await breathe();
  }
}

function toPolicy(orgId: string, { policyId: id, version, fields, createdAt }: HeldPolicy): Policy {
  return { ...fields, id, orgId, version, createdAt, updatedAt: createdAt };
}
