import type { RuleSubject } from './call-facts.ts';
import { judgeRules, reasonOf } from './evaluate-rules.ts';
import type { Policy } from './policy.ts';
import { describeFilters, type FilterSubject, namesAnything, passesFilters } from './policy-filters.ts';
import type { PolicySet } from './policy-set.ts';
import { type Assessment, describeRisk, isRisky, type Risk } from './risk.ts';
import type { RuleFinding } from './rule-finding.ts';

/** The call that a policy judges, with its final input. */
export interface PolicySubject extends FilterSubject, RuleSubject {}

/** A policy that matches a call. */
export interface PolicyMatch {
  policy: Policy;
  /** The reasons in words for a reviewer. */
  reasons: string[];
  /** Null if the model was not asked or gave no assessment. */
  risk: Risk | null;
}

/** A policy that did not match because the risk model found the call harmless. */
export interface Cleared {
  policy: Policy;
  risk: Risk;
}

/** The policy that decides, if any. */
export interface Matched {
  match: PolicyMatch | undefined;
  cleared: Cleared[];
}

/** The result, or a policy that needs an assessment of the risk model first. */
export type Matching = (Matched & { unassessed?: undefined }) | { match?: undefined; cleared?: undefined; unassessed: Policy };

/** Assessments by policy id. */
type Assessments = ReadonlyMap<string, Assessment>;

const NO_ASSESSMENTS: Assessments = new Map();

/**
 * Returns the first policy that matches (specification 4.4). A doubtful match that lets the call
 * through does not override a later policy that stops the call.
 */
export function matchPolicies(policies: PolicySet, subject: PolicySubject, assessments = NO_ASSESSMENTS, judge = judgePolicy): Matching {
  const cleared: Cleared[] = [];
  let doubtful: PolicyMatch | undefined;
  for (const policy of policies.candidates(subject)) {
    const judged = judge(policy, subject, assessments.get(policy.id));
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

/** The judgement of one policy on a call. */
export interface PolicyJudgement {
  verdict: 'matched' | 'not_matched' | 'unassessed';
  passesFilters: boolean;
  /** Empty if no rule was judged. */
  findings: RuleFinding[];
  /** Undefined if the risk model was not asked. */
  assessment: Assessment | undefined;
  /**
   * Whether the policy matched for only a part of the call, or because something could not be
   * determined, such as an amount.
   */
  isDoubtful: boolean;
}

/** Judges a call by one policy (contract decisions 3: riskMode). */
export function judgePolicy(policy: Policy, subject: PolicySubject, assessment?: Assessment): PolicyJudgement {
  if (!passesFilters(policy, subject)) return judgement('not_matched', { passesFilters: false });
  if (policy.riskMode === 'always') return judgement('matched');
  const findings = judgeRules(policy.rules, subject);
  const hasFired = findings.some(({ fired }) => fired);
  const isUnsure = hasFired && findings.every(({ fired, isUnsure }) => !fired || isUnsure);
  if (policy.riskMode === 'rules') {
    const isMatched = hasFired || Object.keys(policy.rules).length === 0;
    return judgement(isMatched ? 'matched' : 'not_matched', { findings, isDoubtful: isUnsure });
  }
  if (assessment === undefined)
    return judgement(needsAssessment(policy, hasFired) ? 'unassessed' : 'matched', {
      findings,
      isDoubtful: isUnsure,
    });
  const isMatched = hasFired || isRisky(assessment);
  const isDoubtful = hasFired ? isUnsure : 'problem' in assessment;
  return judgement(isMatched ? 'matched' : 'not_matched', { findings, assessment, isDoubtful });
}

function judgement(verdict: PolicyJudgement['verdict'], rest: Partial<PolicyJudgement> = {}): PolicyJudgement {
  return { verdict, passesFilters: true, findings: [], assessment: undefined, isDoubtful: false, ...rest };
}

/**
 * Whether the risk model is asked. After a rule has fired, the model's score only informs
 * reviewers. A blocked call has no reviewer.
 */
function needsAssessment(policy: Policy, hasFired: boolean): boolean {
  return !hasFired || policy.decision !== 'block';
}

/** Whether a policy stops a call that it matches. */
export function restrains({ decision }: Policy): boolean {
  return decision === 'block' || decision === 'require_approval';
}

function riskOf({ assessment }: PolicyJudgement): Risk | null {
  return assessment && !('problem' in assessment) ? assessment : null;
}

function matchOf(policy: Policy, judged: PolicyJudgement): PolicyMatch {
  const { findings, assessment } = judged;
  const fired = findings.filter((finding) => finding.fired).map(reasonOf);
  // If rules decide, the words "matches every action" would mislead.
  const showsFilters = fired.length === 0 || policy.riskMode === 'model_assisted' || namesAnything(policy);
  return {
    policy,
    reasons: [...(showsFilters ? [describeFilters(policy)] : []), ...fired, ...(assessment ? [describeRisk(assessment)] : [])],
    risk: riskOf(judged),
  };
}

/** Whether a call may need an approval. Judges only the filters, because there is no input yet. */
export function mayNeedApproval(policies: PolicySet, subject: FilterSubject): boolean {
  return policies.candidates(subject).some((policy) => policy.decision === 'require_approval' && passesFilters(policy, subject));
}
