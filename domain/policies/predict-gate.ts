import { restrains } from './match-policies.ts';
import type { Policy } from './policy.ts';
import { type FilterSubject, passesFilters } from './policy-filters.ts';
import type { PolicySet } from './policy-set.ts';

/** The predicted effect of policies on calls whose inputs are not known. */
export type PredictedGate = 'open' | 'asks' | 'blocks' | 'may_ask' | 'may_block';

/**
 * Predicts the effect on calls of a tool. `subjects` are the possible kinds of calls; they differ
 * only in fields that a policy set does not index.
 */
export function predictGate(policies: PolicySet, subjects: readonly FilterSubject[]): PredictedGate {
  let possible: 'may_ask' | 'may_block' | undefined;
  for (const policy of policies.candidates(subjects[0]!)) {
    const fitting = subjects.filter((subject) => passesFilters(policy, subject)).length;
    if (fitting === 0) continue;
    const isCertain = fitting === subjects.length && appliesToAnyInput(policy);
    if (restrains(policy)) {
      if (isCertain && possible === undefined) return policy.decision === 'block' ? 'blocks' : 'asks';
      possible ??= policy.decision === 'block' ? 'may_block' : 'may_ask';
    }
    if (isCertain) break;
  }
  return possible ?? 'open';
}

function appliesToAnyInput({ riskMode, rules }: Policy): boolean {
  return riskMode === 'always' || (riskMode === 'rules' && Object.keys(rules).length === 0);
}
