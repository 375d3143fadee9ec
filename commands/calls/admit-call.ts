import type { Call, CallEntry } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { GatedCall, JudgedCall } from '../../domain/judged-call.ts';
import { factsOf } from '../../domain/policies/call-facts.ts';
import { judgeShadows } from '../../domain/policies/judge-shadows.ts';
import { noteJudgement } from '../../domain/policies/recorded-facts.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { insertCall } from '../../store/calls.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { matchByLatest } from '../policies/match-call.ts';
import type { Admission, GatePath } from './gate/admission.ts';
import { callInRun } from './gate/call-in-run.ts';
import { directCall } from './gate/direct-call.ts';
import { policyActivity } from './gate/gate-activity.ts';
import { heldCall } from './gate/held-call.ts';
import { hashCallInTurns } from './hash-call.ts';

/**
 * The only gate (decision record 43): checks every action call, with its final input. `held`: the
 * record of the call, if an earlier pass held the call. Throws APPROVAL_POLICY_BLOCKED.
 */
export async function admitCall(gateway: Gateway, call: Call, held?: CallEntry): Promise<Admission> {
  const judged = await judgeCall(gateway, call);
  const path = pathOf(call, held);
  const { match } = judged;
  if (!match) return path.admitUngated(gateway, judged);
  const gated = { ...judged, match };
  switch (match.policy.decision) {
    case 'block':
      return refuseCall(gateway, gated);
    case 'auto_approve':
    case 'notify_only':
      return path.admitByPolicy(gateway, gated);
    case 'require_approval':
      return path.admitByApproval(gateway, gated);
  }
}

async function judgeCall(gateway: Gateway, call: Call): Promise<JudgedCall> {
  const inputHash = await hashCallInTurns(call);
  await breathe();
  const { match, cleared, policies, assessments } = await matchByLatest(gateway, await gateway.policies.of(call), call, inputHash);
  const { isExceeded: isBudgetSpent } = factsOf(call).work;
  const shadows = policies.shadows && judgeShadows(policies, call, assessments);
  noteJudgement(call, { match, cleared, assessments, isBudgetSpent, shadows, policiesVersion: policies.version });
  return { call, inputHash, match, cleared };
}

function pathOf({ run }: Call, held?: CallEntry): GatePath {
  if (!run) return directCall;
  return held ? heldCall(run, held) : callInRun(run);
}

async function refuseCall({ db }: Gateway, gated: GatedCall): Promise<never> {
  const { call, inputHash, match } = gated;
  await db.transaction(async (tx) => {
    const callId = call.run ? null : await insertCall(tx, call, { inputHash, status: 'blocked' });
    await recordActivity(tx, policyActivity('call.blocked', gated, { callId }));
  });
  const { id: policyId, name } = match.policy;
  throw new GatewayError('APPROVAL_POLICY_BLOCKED', `The policy "${name}" blocks this action.`, { policyId });
}
