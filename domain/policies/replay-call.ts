import { valuesAtPaths } from '../redaction/values-at-paths.ts';
import { addFolders, type CallFacts, giveFacts } from './call-facts.ts';
import { judgeRules } from './evaluate-rules.ts';
import { judgePolicy, matchPolicies, type PolicyJudgement, type PolicySubject, restrains } from './match-policies.ts';
import type { Policy, PolicyDecision, PolicyRules } from './policy.ts';
import type { FilterSubject } from './policy-filters.ts';
import type { PolicySet } from './policy-set.ts';
import type { FactName, RecordedFacts } from './recorded-facts.ts';
import type { Assessment } from './risk.ts';
import { leadsToUnknown } from './value-outline.ts';
import { WorkBudget } from './work-budget.ts';

/** A recorded call with its facts. */
export interface RecordedCall extends Omit<FilterSubject, 'connectionStrategy'> {
  facts: RecordedFacts;
}

/** The reasons why a recorded call cannot be judged. */
export const UNJUDGED = ['no_facts', 'too_large', 'hidden', 'not_kept', 'risk_model', 'policies_unknown'] as const;
export type Unjudged = (typeof UNJUDGED)[number];

/** The decision about a recorded call, or why it is unknown. */
export type Replayed = { decision: PolicyDecision | 'allow'; policyId: string | null } | { unjudged: Unjudged };

/**
 * Returns the decision of the gate, or why it is unknown. `withoutAnswersOf`: the policy whose
 * recorded scores are ignored.
 */
export function replayCall(policies: PolicySet, call: RecordedCall, withoutAnswersOf?: string): Replayed {
  return judged(call, (subject): Replayed => {
    const answers = new Map([...answersOf(call.facts)].filter(([id]) => id !== withoutAnswersOf));
    const { match, unassessed } = matchPolicies(policies, subject, answers, judgeRecorded);
    if (unassessed) return { unjudged: 'risk_model' };
    return { decision: match?.policy.decision ?? 'allow', policyId: match?.policy.id ?? null };
  });
}

/** Whether a policy matches a recorded call, even if another policy decides. */
export function replayPolicy(policy: Policy, call: RecordedCall): { isMatched: boolean } | { unjudged: Unjudged } {
  return judged(call, (subject): { isMatched: boolean } | { unjudged: Unjudged } => {
    const { verdict } = judgeRecorded(policy, subject);
    return verdict === 'unassessed' ? { unjudged: 'risk_model' } : { isMatched: verdict === 'matched' };
  });
}

class NotKeptError extends Error {
  readonly unjudged: Unjudged;
  constructor(unjudged: Unjudged) {
    super(unjudged);
    this.unjudged = unjudged;
  }
}

/**
 * Work limit of a replay, in nanoseconds. If a replay stays within it, the live call stayed within
 * its own limit of 8,000,000: reading facts took at most 2,000,000, and comparing texts at most
 * twice the work of the replay.
 */
const REPLAY_WORK = 2_500_000;

function judged<Result>(call: RecordedCall, judge: (subject: PolicySubject) => Result): Result | { unjudged: Unjudged } {
  const { facts, ...filtered } = call;
  if (facts.isBudgetSpent) return { unjudged: 'too_large' };
  const { strategy: connectionStrategy = null, category = null, otherCategories } = facts;
  const subject: PolicySubject = { ...filtered, connectionStrategy, category, otherCategories, input: {} };
  const recalled = recallFacts(facts);
  giveFacts(subject, recalled);
  try {
    const result = judge(subject);
    return recalled.work.isExceeded ? { unjudged: 'too_large' } : result;
  } catch (error) {
    if (error instanceof NotKeptError) return { unjudged: error.unjudged };
    throw error;
  }
}

/**
 * Judges a recorded call by one policy. A policy that stops calls matches as soon as one of its
 * rules fires, even if other rules cannot be judged.
 */
function judgeRecorded(policy: Policy, subject: PolicySubject, assessment?: Assessment): PolicyJudgement {
  try {
    const judged = judgePolicy(policy, subject, assessment);
    const hasFired = judged.findings.some(({ fired }) => fired);
    return judged.verdict === 'unassessed' && hasFired ? judgePolicy(policy, subject, { problem: 'not asked' }) : judged;
  } catch (error) {
    const isCertain = error instanceof NotKeptError && restrains(policy) && singleRules(policy.rules).some((rule) => fires(rule, subject));
    if (!isCertain) throw error;
    return { verdict: 'matched', passesFilters: true, findings: [], assessment, isDoubtful: false };
  }
}

function fires(rule: PolicyRules, subject: PolicySubject): boolean {
  try {
    return judgeRules(rule, subject).some(({ fired }) => fired);
  } catch (error) {
    if (error instanceof NotKeptError) return false;
    throw error;
  }
}

const known = new WeakMap<PolicyRules, PolicyRules[]>();

/** Cached, because compiled rules are cached per object. */
function singleRules(rules: PolicyRules): PolicyRules[] {
  const kept = known.get(rules) ?? Object.entries(rules).map(([name, rule]) => ({ [name]: rule }));
  known.set(rules, kept);
  return kept;
}

function answersOf({ model = {} }: RecordedFacts): Map<string, Assessment> {
  return new Map(
    Object.entries(model).map(([id, score]) => [id, score === null ? { problem: 'it gave no answer' } : { score, words: '' }]),
  );
}

function recallFacts({ hosts, recipients, paths, values, notKept = {} }: RecordedFacts): CallFacts {
  const work = new WorkBudget(REPLAY_WORK);
  const valuesAt = valuesAtPaths(values, work);
  const kept = <Fact>(name: FactName, fact: Fact) => {
    const reason = notKept[name];
    return () => {
      if (reason) throw new NotKeptError(reason === 'large' ? 'too_large' : 'hidden');
      return fact;
    };
  };
  const { named = [], readings = named, isDisguised = false } = recipients ?? {};
  const [pathNames, pathReadings] = [paths?.named ?? [], paths?.readings ?? paths?.named ?? []];
  const above = new Set<string>();
  for (const path of pathReadings) addFolders(path, above);
  return {
    work,
    hosts: kept('hosts', { hosts: new Set(hosts?.found), isDisguised: hosts?.isDisguised ?? false, isDerived: hosts?.isDerived ?? false }),
    recipients: kept('recipients', { written: named, named, readings, isDisguised }),
    paths: kept('paths', { named: pathNames, above, readings: new Set(pathReadings) }),
    valuesAt: (path) => {
      if (leadsToUnknown(values, path)) throw new NotKeptError('not_kept');
      return valuesAt(path);
    },
  };
}
