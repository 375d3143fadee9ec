import { judgeRules, type RuleFinding, type RuleSubject, reasonOf } from './evaluate-rules.ts';
import type { Policy } from './policy.ts';
import { describeFilters, type FilterSubject, namesAnything, passesFilters } from './policy-filters.ts';
import type { PolicySet } from './policy-set.ts';
import { type Assessment, describeRisk, isRisky, type Risk } from './risk.ts';

export type { FilterSubject };

/** What a policy looks at: one call whose input is final. */
export interface PolicySubject extends FilterSubject, RuleSubject {}

export interface PolicyMatch {
  policy: Policy;
  /** Why it matched, in words for a reviewer. */
  reasons: string[];
  /** What the risk model said of the call; null where it was not asked or could not say. */
  risk: Risk | null;
}

/** A policy that did not match because the risk model found the call harmless. */
export interface Cleared {
  policy: Policy;
  risk: Risk;
}

/** The policy that decides, if any, and those before it that the risk model kept from deciding. */
export interface Matched {
  match: PolicyMatch | undefined;
  cleared: Cleared[];
}

/** What decides; or the policy that has to be assessed before anything can be said. */
export type Matching = (Matched & { unassessed?: undefined }) | { match?: undefined; cleared?: undefined; unassessed: Policy };

/** What the risk model said, by the id of the policy that asks it. */
export type Assessments = ReadonlyMap<string, Assessment>;

const NOBODY_ASKED: Assessments = new Map();

/**
 * The first policy that matches decides (specification 4.4). One that matches only because the risk model could not be asked lets nothing
 * through that a later one stops.
 */
export function matchPolicies(policies: PolicySet, subject: PolicySubject, assessments = NOBODY_ASKED): Matching {
  const cleared: Cleared[] = [];
  let doubtful: PolicyMatch | undefined;
  for (const policy of policies.candidates(subject)) {
    const judged = judgePolicy(policy, subject, assessments.get(policy.id));
    if (judged.verdict === 'unassessed') return { unassessed: policy };
    if (judged.verdict === 'not_matched') {
      const risk = riskOf(judged);
      if (risk) cleared.push({ policy, risk });
      continue;
    }
    if (restrains(policy)) return { match: matchOf(policy, judged), cleared };
    if (!judged.isDoubtful) return { match: doubtful ?? matchOf(policy, judged), cleared };
    doubtful ??= matchOf(policy, judged);
  }
  return { match: doubtful, cleared };
}

/** What one policy says of a call: the decision and its explanation both come from here. */
export interface PolicyJudgement {
  verdict: 'matched' | 'not_matched' | 'unassessed';
  passesFilters: boolean;
  /** Empty where rules are not looked at: with riskMode `always`, or where a filter does not fit. */
  findings: RuleFinding[];
  /** Undefined where the risk model was not asked. */
  assessment: Assessment | undefined;
  /** It matched only because the risk model could not be asked. */
  isDoubtful: boolean;
}

/** Judges a call by one policy (decisions section 3: riskMode). `assessment` is what the risk model said of it under this policy. */
export function judgePolicy(policy: Policy, subject: PolicySubject, assessment?: Assessment): PolicyJudgement {
  if (!passesFilters(policy, subject)) return judgement('not_matched', { passesFilters: false });
  if (policy.riskMode === 'always') return judgement('matched');
  const findings = judgeRules(policy.rules, subject);
  const hasFired = findings.some(({ fired }) => fired);
  if (policy.riskMode === 'rules') {
    const isMatched = hasFired || Object.keys(policy.rules).length === 0;
    return judgement(isMatched ? 'matched' : 'not_matched', { findings });
  }
  if (assessment === undefined) return judgement(needsAssessment(policy, hasFired) ? 'unassessed' : 'matched', { findings });
  const isMatched = hasFired || isRisky(assessment);
  const isDoubtful = !hasFired && 'problem' in assessment;
  return judgement(isMatched ? 'matched' : 'not_matched', { findings, assessment, isDoubtful });
}

function judgement(verdict: PolicyJudgement['verdict'], rest: Partial<PolicyJudgement> = {}): PolicyJudgement {
  return { verdict, passesFilters: true, findings: [], assessment: undefined, isDoubtful: false, ...rest };
}

/** A rule that fired decides without the model; reviewers want its score all the same, and nobody reviews what is blocked. */
function needsAssessment(policy: Policy, hasFired: boolean): boolean {
  return !hasFired || policy.decision !== 'block';
}

function restrains({ decision }: Policy): boolean {
  return decision === 'block' || decision === 'require_approval';
}

function riskOf({ assessment }: PolicyJudgement): Risk | null {
  return assessment && !('problem' in assessment) ? assessment : null;
}

function matchOf(policy: Policy, judged: PolicyJudgement): PolicyMatch {
  const { findings, assessment } = judged;
  const fired = findings.filter((finding) => finding.fired).map(reasonOf);
  // A policy without filters is for every action; where rules decide, saying so would mislead.
  const showsFilters = fired.length === 0 || policy.riskMode === 'model_assisted' || namesAnything(policy);
  return {
    policy,
    reasons: [...(showsFilters ? [describeFilters(policy)] : []), ...fired, ...(assessment ? [describeRisk(assessment)] : [])],
    risk: riskOf(judged),
  };
}

/** Whether some call of an action may have to wait for a person, as far as can be said before there is an input. */
export function mayNeedApproval(policies: PolicySet, subject: FilterSubject): boolean {
  return policies.candidates(subject).some((policy) => policy.decision === 'require_approval' && passesFilters(policy, subject));
}
