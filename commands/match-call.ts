import type { Call } from '../domain/call.ts';
import { type Matched, matchPolicies } from '../domain/match-policies.ts';
import type { Policy } from '../domain/policy.ts';
import type { PolicySet } from '../domain/policy-set.ts';
import type { Assessment } from '../domain/risk.ts';
import { findRiskAssessment, keepRiskAssessment } from '../store/risk-assessments.ts';
import { findStandingApproval } from '../store/standing-approvals.ts';
import { assessRisk } from './assess-risk.ts';
import type { Gateway } from './gateway.ts';

/** What a decision may take that asks the risk model, however many policies ask it and of however many calls */
export const ASSESSMENT_SECONDS = 5;

/** When the risk model must have answered for a decision that starts now, by the monotonic clock of this process. */
export function assessmentDeadline(): number {
  return performance.now() + ASSESSMENT_SECONDS * 1000;
}

type Parts = Pick<Gateway, 'db' | 'model' | 'catalog' | 'logger'>;

/**
 * The policy that decides a call, if any, and those that the risk model kept from deciding it. Asks the model only where everything hangs on
 * it, and of the same call under the same version of a policy only once: a retry is judged as the first attempt was.
 */
export async function matchCall(gateway: Parts, policies: PolicySet, call: Call, inputHash: string, deadline?: number): Promise<Matched> {
  return (await matchAndTell(gateway, policies, call, inputHash, deadline)).found;
}

/** The same by the policies that there are once the risk model has answered: one that was stored while it thought counts. `policies` were read before. */
export async function matchByLatest(
  gateway: Parts & Pick<Gateway, 'policies'>,
  policies: PolicySet,
  call: Call,
  inputHash: string,
): Promise<Matched> {
  const { orgId, workspaceId } = call;
  const deadline = assessmentDeadline();
  for (let current = policies; ; ) {
    const { found, isAssessed } = await matchAndTell(gateway, current, call, inputHash, deadline);
    const latest = isAssessed ? await gateway.policies.of({ orgId, workspaceId }) : current;
    if (latest === current) return found;
    current = latest;
  }
}

async function matchAndTell(
  gateway: Parts,
  policies: PolicySet,
  call: Call,
  inputHash: string,
  deadline?: number,
): Promise<{ found: Matched; isAssessed: boolean }> {
  const assessments = new Map<string, Assessment>();
  let found = matchPolicies(policies, call, assessments);
  for (let until = deadline; found.unassessed; found = matchPolicies(policies, call, assessments)) {
    until ??= assessmentDeadline();
    assessments.set(found.unassessed.id, await assess(gateway, found.unassessed, call, inputHash, until));
  }
  return { found, isAssessed: assessments.size > 0 };
}

async function assess(gateway: Parts, policy: Policy, call: Call, inputHash: string, deadline: number): Promise<Assessment> {
  const assessed = { orgId: call.orgId, policyId: policy.id, policyVersion: policy.version, inputHash };
  const known = (await findRiskAssessment(gateway.db, assessed)) ?? (await standingAssessment(gateway, policy, call, inputHash));
  if (known) return known;
  const leftMs = Math.ceil(deadline - performance.now());
  if (leftMs <= 0) return { problem: 'it did not answer in time' };
  const assessment = await assessRisk(gateway, policy, call, leftMs);
  return 'problem' in assessment || assessment.isSteered ? assessment : keepRiskAssessment(gateway.db, assessed, assessment);
}

/** An approval that stands for this very call answers what was asked when it was made: after an outage, and under an earlier version too. */
async function standingAssessment({ db }: Parts, policy: Policy, call: Call, inputHash: string): Promise<Assessment | undefined> {
  if (policy.decision !== 'require_approval' || call.run) return undefined;
  const standing = await findStandingApproval(db, { orgId: call.orgId, inputHash, policyId: policy.id });
  if (!standing) return undefined;
  const { riskScore } = standing;
  return riskScore === null ? { problem: 'it was not asked when approval was requested' } : { score: riskScore, words: '' };
}
