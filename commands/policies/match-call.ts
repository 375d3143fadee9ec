import type { Call } from '../../domain/call.ts';
import { judgePolicy, type Matched, type Matching, matchPolicies } from '../../domain/policies/match-policies.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Assessment } from '../../domain/policies/risk.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { findReusableApproval } from '../../store/reusable-approvals.ts';
import { type AssessedCall, findRiskAssessment, keepRiskAssessment } from '../../store/risk-assessments.ts';
import type { Gateway } from '../gateway.ts';
import { assessRisk } from './assess-risk.ts';

/** How long one decision may wait for the risk model, summed over policies and planned calls. */
export const ASSESSMENT_SECONDS = 5;

/** The deadline of the risk model for a decision that starts now, by `performance.now()`. */
export function assessmentDeadline(): number {
  return performance.now() + ASSESSMENT_SECONDS * 1000;
}

type Parts = Pick<Gateway, 'db' | 'model' | 'catalog' | 'logger'>;

/**
 * The policy that decides a call, and those that a low risk score kept from deciding. The score is
 * stored, so that a retry is judged like the first attempt.
 */
export async function matchCall(gateway: Parts, policies: PolicySet, call: Call, inputHash: string, deadline?: number): Promise<Matched> {
  return (await matchAndReport(gateway, policies, call, inputHash, deadline)).found;
}

/** A match, the policies that were searched, and the risk model's answers by policy id. */
export interface MatchedByLatest extends Matched {
  policies: PolicySet;
  assessments: ReadonlyMap<string, Assessment>;
}

/**
 * Like `matchCall`, but matches again if policies changed while the risk model was asked.
 * `policies`: the policies as read by the caller.
 */
export async function matchByLatest(
  gateway: Parts & Pick<Gateway, 'policies'>,
  policies: PolicySet,
  call: Call,
  inputHash: string,
): Promise<MatchedByLatest> {
  const { orgId, workspaceId } = call;
  const deadline = assessmentDeadline();
  for (let current = policies; ; ) {
    const { found, assessments } = await matchAndReport(gateway, current, call, inputHash, deadline);
    const latest = assessments.size > 0 ? await gateway.policies.of({ orgId, workspaceId }) : current;
    if (latest === current) return { ...found, policies: current, assessments };
    current = latest;
  }
}

/**
 * Like `matchCall`, but uses only stored answers of the model. `unassessed` is the policy that
 * needs an answer. `judge` judges each policy that is considered.
 */
export async function matchWithoutAsking(
  { db }: Pick<Gateway, 'db'>,
  policies: PolicySet,
  call: Call,
  inputHash: string,
  judge: typeof judgePolicy,
): Promise<Matching & Pick<MatchedByLatest, 'assessments'>> {
  const known = (policy: Policy) => findAssessment({ db }, policy, call, inputHash);
  const { found, assessments } = await matchAll(policies, call, known, judge);
  return { ...found, assessments };
}

async function matchAndReport(
  gateway: Parts,
  policies: PolicySet,
  call: Call,
  inputHash: string,
  deadline?: number,
): Promise<{ found: Matched; assessments: ReadonlyMap<string, Assessment> }> {
  let until = deadline;
  const { found, assessments } = await matchAll(policies, call, (policy) => {
    until ??= assessmentDeadline();
    return assess(gateway, policy, call, inputHash, until);
  });
  return { found: found as Matched, assessments };
}

async function matchAll(
  policies: PolicySet,
  call: Call,
  assess: (policy: Policy) => Promise<Assessment | undefined>,
  judge = judgePolicy,
): Promise<{ found: Matching; assessments: ReadonlyMap<string, Assessment> }> {
  const assessments = new Map<string, Assessment>();
  let found = matchPolicies(policies, call, assessments, judge);
  await breathe();
  for (; found.unassessed; found = matchPolicies(policies, call, assessments, judge)) {
    const assessment = await assess(found.unassessed);
    if (!assessment) break;
    assessments.set(found.unassessed.id, assessment);
  }
  return { found, assessments };
}

async function assess(gateway: Parts, policy: Policy, call: Call, inputHash: string, deadline: number): Promise<Assessment> {
  const known = await findAssessment(gateway, policy, call, inputHash);
  if (known) return known;
  const assessed = assessedCall(policy, call, inputHash);
  const leftMs = Math.ceil(deadline - performance.now());
  if (leftMs <= 0) return { problem: 'it did not answer in time' };
  const assessment = await assessRisk(gateway, policy, call, leftMs);
  return 'problem' in assessment || assessment.isSteered ? assessment : keepRiskAssessment(gateway.db, assessed, assessment);
}

async function findAssessment(
  gateway: Pick<Gateway, 'db'>,
  policy: Policy,
  call: Call,
  inputHash: string,
): Promise<Assessment | undefined> {
  const stored = await findRiskAssessment(gateway.db, assessedCall(policy, call, inputHash));
  return stored ?? earlierAssessment(gateway, policy, call, inputHash);
}

function assessedCall({ id: policyId, version: policyVersion }: Policy, { orgId }: Call, inputHash: string): AssessedCall {
  return { orgId, policyId, policyVersion, inputHash };
}

/** The assessment in a reusable approval of this call. It outlives changes of the policy. */
async function earlierAssessment(
  { db }: Pick<Gateway, 'db'>,
  policy: Policy,
  call: Call,
  inputHash: string,
): Promise<Assessment | undefined> {
  if (policy.decision !== 'require_approval' || call.run) return undefined;
  const approval = await findReusableApproval(db, { orgId: call.orgId, inputHash, policyId: policy.id });
  if (!approval) return undefined;
  const { riskScore } = approval;
  return riskScore === null ? { problem: 'it was not asked when approval was requested' } : { score: riskScore, words: '' };
}
