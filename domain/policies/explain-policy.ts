import { explainRules } from './evaluate-rules.ts';
import type { PolicyJudgement, PolicySubject } from './match-policies.ts';
import type { Policy } from './policy.ts';
import { explainFilters } from './policy-filters.ts';
import { describeRisk } from './risk.ts';

/** Explains a judgement in sentences (specification 4.4). */
export function explainPolicy(policy: Policy, subject: PolicySubject, judged: PolicyJudgement): string[] {
  return [...explainFilters(policy, subject), ...ruleSentences(policy, subject, judged), ...modelSentences(policy, judged)];
}

function ruleSentences(policy: Policy, subject: PolicySubject, { passesFilters }: PolicyJudgement): string[] {
  const names = Object.keys(policy.rules);
  if (policy.riskMode === 'always') return ['rules: not checked, because riskMode is always'];
  if (names.length > 0) return explainRules(policy.rules, subject);
  if (policy.riskMode === 'model_assisted') return ['rules: none'];
  return [`rules: none, so the filters alone decide${passesFilters ? '' : ', and they do not match'}`];
}

function modelSentences({ riskMode }: Policy, { passesFilters, assessment }: PolicyJudgement): string[] {
  if (riskMode !== 'model_assisted') return [];
  if (assessment) return [`${describeRisk(assessment)} (this assessment is not kept)`];
  return [`risk model: not asked, because ${passesFilters ? 'a rule that fires already blocks the call' : 'a filter did not match'}`];
}
