import { judgePolicy, matchPolicies, type PolicySubject } from './match-policies.ts';
import { comparePolicies, type PolicyDecision } from './policy.ts';
import type { PolicySet } from './policy-set.ts';
import type { Assessment } from './risk.ts';

/** What a policy in shadow mode, which only records, would have done with a matching call. */
export interface ShadowJudgement {
  policyId: string;
  version: number;
  /**
   * `none`: another policy decides first. `unknown`: the decision depends on the risk model, which
   * shadow policies do not ask.
   */
  would: PolicyDecision | 'none' | 'unknown';
}

/** Maximum number of judgements that one record keeps. */
const MAX_KEPT = 8;

/**
 * Returns the judgements of the shadow policies that match the call or may match it, at most
 * MAX_KEPT. Each shadow policy is judged as if it were enforced. The enforced policies take part;
 * the other shadow policies do not. `assessments` are the assessments that the enforced policies
 * requested. Changes nothing.
 */
export function judgeShadows(policies: PolicySet, subject: PolicySubject, assessments: ReadonlyMap<string, Assessment>): ShadowJudgement[] {
  const kept: ShadowJudgement[] = [];
  const enforced = policies.candidates(subject);
  for (const policy of policies.shadows?.candidates(subject) ?? []) {
    const { verdict, findings } = judgePolicy(policy, subject);
    if (verdict === 'not_matched') continue;
    const { id: policyId, version } = policy;
    if (verdict === 'unassessed' && !findings.some(({ fired }) => fired)) kept.push({ policyId, version, would: 'unknown' });
    else {
      const together = [...enforced, policy].sort(comparePolicies);
      const answers = new Map([...assessments, [policyId, NOT_ASKED]]);
      const { match } = matchPolicies({ all: together, candidates: () => together }, subject, answers);
      kept.push({ policyId, version, would: match?.policy === policy ? policy.decision : 'none' });
    }
    if (kept.length === MAX_KEPT) break;
  }
  return kept;
}

/**
 * The risk model is not asked, because a rule has already fired and the answer would not change the
 * decision.
 */
const NOT_ASKED: Assessment = { problem: 'it is not asked in shadow mode' };
