import type { Call } from '../../domain/call.ts';
import { type Matched, matchPolicies } from '../../domain/policies/match-policies.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import type { PolicySet } from '../../domain/policies/policy-set.ts';
import type { Assessment } from '../../domain/policies/risk.ts';
import { breathe } from '../../infra/event-loop.ts';
import { findReusableApproval } from '../../store/reusable-approvals.ts';
import { findRiskAssessment, keepRiskAssessment } from '../../store/risk-assessments.ts';
import type { Gateway } from '../gateway.ts';
import { assessRisk } from './assess-risk.ts';

/**
 * Seconds that one decision may wait for the risk model, over all policies and calls that ask it.
 */
export const ASSESSMENT_SECONDS = 5;

/**
 * The deadline of the risk model for a decision that starts now, by the monotonic clock of this
 * process.
 */
export function assessmentDeadline(): number {
  return performance.now() + ASSESSMENT_SECONDS * 1000;
}

type Parts = Pick<Gateway, 'db' | 'model' | 'catalog' | 'logger'>;

/**
 * The policy that decides a call, if any, and the policies that the risk model kept from deciding.
 * Asks the model only if the decision depends on it. The same call under the same policy version is
 * asked once, so a retry is judged like the first attempt.
 */
export async function matchCall(gateway: Parts, policies: PolicySet, call: Call, inputHash: string, deadline?: number): Promise<Matched> {
  return (await matchAndReport(gateway, policies, call, inputHash, deadline)).found;
}

/** The policies that decided, and the answers of the risk model, by policy ID. */
export interface MatchedByLatest extends Matched {
  policies: PolicySet;
  assessments: ReadonlyMap<string, Assessment>;
}

/**
 * Like `matchCall`, by the policies that are current once the risk model has answered: a policy
 * stored in the meantime counts. `policies` were read before.
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

async function matchAndReport(
  gateway: Parts,
  policies: PolicySet,
  call: Call,
  inputHash: string,
  deadline?: number,
): Promise<{ found: Matched; assessments: ReadonlyMap<string, Assessment> }> {
  const assessments = new Map<string, Assessment>();
  let found = matchPolicies(policies, call, assessments);
  await breathe();
  for (let until = deadline; found.unassessed; found = matchPolicies(policies, call, assessments)) {
    until ??= assessmentDeadline();
    assessments.set(found.unassessed.id, await assess(gateway, found.unassessed, call, inputHash, until));
  }
  return { found, assessments };
}

async function assess(gateway: Parts, policy: Policy, call: Call, inputHash: string, deadline: number): Promise<Assessment> {
  const assessed = { orgId: call.orgId, policyId: policy.id, policyVersion: policy.version, inputHash };
  const known = (await findRiskAssessment(gateway.db, assessed)) ?? (await earlierAssessment(gateway, policy, call, inputHash));
  if (known) return known;
  const leftMs = Math.ceil(deadline - performance.now());
  if (leftMs <= 0) return { problem: 'it did not answer in time' };
  const assessment = await assessRisk(gateway, policy, call, leftMs);
  return 'problem' in assessment || assessment.isSteered ? assessment : keepRiskAssessment(gateway.db, assessed, assessment);
}

/**
 * The assessment stored with an unused approval of the same call. It holds after an outage, and
 * after a change of the policy.
 */
async function earlierAssessment({ db }: Parts, policy: Policy, call: Call, inputHash: string): Promise<Assessment | undefined> {
  if (policy.decision !== 'require_approval' || call.run) return undefined;
  const approval = await findReusableApproval(db, { orgId: call.orgId, inputHash, policyId: policy.id });
  if (!approval) return undefined;
  const { riskScore } = approval;
  return riskScore === null ? { problem: 'it was not asked when approval was requested' } : { score: riskScore, words: '' };
}
