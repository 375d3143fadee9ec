import type { Approval } from '../../../domain/approval.ts';
import type { CallOfRun } from '../../../domain/call.ts';
import type { GatedCall, JudgedCall } from '../../../domain/judged-call.ts';
import { consumeApproval } from '../../../store/approval-transitions.ts';
import { findApproval } from '../../../store/approvals.ts';
import { findApprovedWithin } from '../../../store/reusable-approvals.ts';
import { recordActivity } from '../../audit/record-activity.ts';
import type { Gateway } from '../../gateway.ts';
import type { Admission, StartCall } from './admission.ts';
import { consumedActivity, policyActivity } from './gate-activity.ts';

/**
 * Admits a call by its own approval and consumes the approval. Returns undefined if the approval is
 * not approved, another call has consumed it, or its receipt has expired.
 */
export async function useApproval(
  gateway: Gateway,
  judged: JudgedCall,
  approval: Approval,
  start: StartCall,
): Promise<Admission | undefined> {
  return gateway.db.transaction(async (tx) => {
    if (!(await consumeApproval(tx, approval.id))) return undefined;
    const callId = await start(tx, judged, approval);
    await recordActivity(tx, consumedActivity(approval, judged, callId));
    return { kind: 'admitted', inputHash: judged.inputHash, callId };
  });
}

/**
 * Admits a call of a code run by the approval of the run's plan. Returns undefined if no approval
 * covers the call, or if the approval cannot be used. The first covered call consumes the approval.
 * Later covered calls of the same run are still admitted.
 */
export async function usePlanApproval(
  gateway: Gateway,
  gated: GatedCall,
  run: CallOfRun,
  start: StartCall,
): Promise<Admission | undefined> {
  const { call, inputHash, match } = gated;
  const approvalId = run.planApprovals[match.policy.id]?.approvalId;
  if (approvalId === undefined) return undefined;
  return gateway.db.transaction(async (tx) => {
    const consumed = await consumeApproval(tx, approvalId);
    const approval = consumed ?? (await findApproval(tx, call.orgId, approvalId));
    if (approval?.codeRunId !== run.codeRunId || approval.status !== 'consumed') return undefined;
    const callId = await start(tx, gated, approval);
    const isFirst = consumed !== undefined;
    await recordActivity(
      tx,
      isFirst ? consumedActivity(approval, gated, callId) : policyActivity('call.let_through', gated, { approvalId, callId }),
    );
    return { kind: 'admitted', inputHash, callId };
  });
}

/**
 * Admits a call that was approved earlier, within the reuse window of the policy. Returns undefined
 * if there is no approval that lets the call run again (`findApprovedBefore`).
 */
export async function reuseApproval(gateway: Gateway, gated: GatedCall, start: StartCall): Promise<Admission | undefined> {
  const { inputHash } = gated;
  const approvalId = await findApprovedBefore(gateway, gated);
  if (approvalId === undefined) return undefined;
  return gateway.db.transaction(async (tx) => {
    const callId = await start(tx, gated);
    await recordActivity(tx, policyActivity('call.reused', gated, { approvalId, callId }));
    return { kind: 'admitted', inputHash, callId };
  });
}

/**
 * Returns the id of the approval that lets this call run again; undefined if there is none. The
 * approval must have been granted within the reuse window of the policy, and not by a policy or a
 * timeout.
 */
export async function findApprovedBefore({ db }: Pick<Gateway, 'db'>, { call, inputHash, match }: GatedCall): Promise<string | undefined> {
  const { id: policyId, version: policyVersion, reuseWindowSeconds: windowSeconds } = match.policy;
  if (!windowSeconds) return undefined;
  return findApprovedWithin(db, { orgId: call.orgId, inputHash, policyId, policyVersion, endUserId: call.endUserId, windowSeconds });
}
