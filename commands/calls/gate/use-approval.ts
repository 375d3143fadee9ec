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
 * Admits a call by its own approval, and consumes the approval. Undefined if the approval cannot be
 * consumed.
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
 * Admits a call by the approval of its run's plan; undefined if none admits the call. The approval
 * admits each covered call of the run.
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

/** Admits a call by an approval within the policy's reuse window; undefined if there is none. */
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
 * The id of an approval within the policy's reuse window, not granted by a policy or a timeout;
 * undefined if there is none.
 */
export async function findApprovedBefore({ db }: Pick<Gateway, 'db'>, { call, inputHash, match }: GatedCall): Promise<string | undefined> {
  const { id: policyId, version: policyVersion, reuseWindowSeconds: windowSeconds } = match.policy;
  if (!windowSeconds) return undefined;
  return findApprovedWithin(db, { orgId: call.orgId, inputHash, policyId, policyVersion, endUserId: call.endUserId, windowSeconds });
}
