import { judgePolicy, matchPolicies, type PolicySubject } from './match-policies.ts';
import { comparePolicies, type PolicyDecision } from './policy.ts';
import type { PolicySet } from './policy-set.ts';
import type { Assessment } from './risk.ts';

/** What a shadow policy would have done with a matching call. */
export interface ShadowJudgement {
  policyId: string;
  version: number;
  /** `none`: another policy decides first. `unknown`: shadow policies do not ask the risk model. */
  would: PolicyDecision | 'none' | 'unknown';
}

const MAX_KEPT = 8;

/**
 * Judges each shadow policy together with the enforced policies. Returns at most MAX_KEPT
 * judgements, without policies that do not match.
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

const NOT_ASKED: Assessment = { problem: 'it is not asked in shadow mode' };
