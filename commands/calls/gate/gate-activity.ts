import { type ActivityType, aboutApproval, aboutCall, clearedActivity, type NewActivity } from '../../../domain/activity.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { GatedCall, JudgedCall } from '../../../domain/judged-call.ts';
import { shownReasons } from '../../approvals/request-approval.ts';

/**
 * The audit entry of a call that was blocked, let through, or run again under an earlier approval.
 */
export function policyActivity(
  type: Extract<ActivityType, 'call.blocked' | 'call.let_through' | 'call.reused'>,
  { call, inputHash, match }: GatedCall,
  about: Pick<NewActivity, 'approvalId' | 'callId'>,
): NewActivity {
  const { id: policyId, version: policyVersion, name: policyName, decision } = match.policy;
  const details = { policyName, decision, reasons: shownReasons(match, call), source: call.source, inputHash };
  return { ...aboutCall(call), ...about, type, policyId, policyVersion, details };
}

/** The audit entry of a call that consumed an approval. */
export function consumedActivity(approval: Approval, { call }: JudgedCall, callId: string): NewActivity {
  const { inputHash } = approval;
  return { ...aboutApproval(approval), type: 'approval.consumed', actor: call.requestedBy, callId, details: { inputHash } };
}

/** One audit entry for each policy that did not match because of a low risk score. */
export function clearedActivities({ cleared, call, inputHash }: JudgedCall, callId: string): NewActivity[] {
  return cleared.map((one) => clearedActivity(one, call, callId, { inputHash }));
}
