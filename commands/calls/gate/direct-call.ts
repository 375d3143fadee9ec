import type { Approval } from '../../../domain/approval.ts';
import type { RecordedCall } from '../../../domain/call.ts';
import type { GatedCall } from '../../../domain/judged-call.ts';
import { factsToKeep } from '../../../domain/policies/recorded-facts.ts';
import { type Db, isDuplicate } from '../../../infra/database.ts';
import { findCallByApproval, findCallByKey, insertCall, releaseOldKey } from '../../../store/calls.ts';
import { type Binding, findApprovalUsedSince, findReusableApproval, listOverdueApprovalIds } from '../../../store/reusable-approvals.ts';
import { approvalOfCall, requestApproval } from '../../approvals/request-approval.ts';
import { timeOutApproval } from '../../approvals/time-out-approval.ts';
import type { Gateway } from '../../gateway.ts';
import { startApprovalWorkflow } from '../../outbox/notify-orchestrator.ts';
import { assertSameCall } from '../same-call.ts';
import { type Admission, type GatePath, type StartCall, waitFor } from './admission.ts';
import { letThrough, letThroughByPolicy } from './let-through.ts';
import { findApprovedBefore, reuseApproval, useApproval } from './use-approval.ts';

/**
 * The gate for a call outside of code runs. After the approval, the caller makes the call again.
 */
export const directCall: GatePath = {
  admitUngated: (gateway, judged) => letThrough(gateway, judged, start, judged.call.idempotencyKey !== undefined),
  admitByPolicy: (gateway, gated) => letThroughByPolicy(gateway, gated, start),
  admitByApproval,
};

const start: StartCall = async (tx, { call, inputHash }, approval) => {
  const idempotencyKey = call.idempotencyKey ?? (approval?.status === 'approved' ? approval.idempotencyKey : null);
  if (idempotencyKey) await releaseOldKey(tx, call.workspaceId, idempotencyKey);
  return insertCall(tx, call, { inputHash, status: 'executing', approvalId: approval?.id ?? null, idempotencyKey });
};

async function admitByApproval(gateway: Gateway, gated: GatedCall): Promise<Admission> {
  const approval = await findReusableApproval(gateway.db, bindingOf(gated));
  if (approval?.status === 'pending') return waitFor(approval, gated);
  const admitted = approval && (await useApproval(gateway, gated, approval, start));
  if (admitted) return admitted;
  const call = (approval && (await findCallByApproval(gateway.db, approval.id))) ?? (await findEarlierCall(gateway.db, gated));
  if (call) return { kind: 'made_already', inputHash: gated.inputHash, call };
  return (await reuseApproval(gateway, gated, start)) ?? waitFor(await requestOnce(gateway, gated), gated);
}

/** How a call outside of code runs would pass the gate, if the policy requires approval. */
export type PredictedApproval =
  | { kind: 'asks' }
  /** The same call already waits for an approval. */
  | { kind: 'waits'; approval: Approval }
  | { kind: 'uses_approval'; approval: Approval }
  /** The same call was approved within the reuse window of the policy. */
  | { kind: 'reuses_approval'; approvalId: string };

/** What `admitByApproval` would do now with a call that was not made before. Changes nothing. */
export async function predictApproval(gateway: Pick<Gateway, 'db'>, gated: GatedCall): Promise<PredictedApproval> {
  const approval = await findReusableApproval(gateway.db, bindingOf(gated));
  if (approval) return { kind: approval.status === 'pending' ? 'waits' : 'uses_approval', approval };
  const approvalId = await findApprovedBefore(gateway, gated);
  return approvalId === undefined ? { kind: 'asks' } : { kind: 'reuses_approval', approvalId };
}

/**
 * Finds the record of this call if another attempt has made the call: with an approval that was
 * used since this attempt arrived, or with the same idempotency key.
 */
async function findEarlierCall(db: Db, gated: GatedCall): Promise<RecordedCall | undefined> {
  const { workspaceId, idempotencyKey, requestHash, arrivedAt } = gated.call;
  const usedSince = arrivedAt && (await findApprovalUsedSince(db, bindingOf(gated), arrivedAt));
  if (usedSince) return findCallByApproval(db, usedSince);
  const earlier = idempotencyKey ? await findCallByKey(db, workspaceId, idempotencyKey) : undefined;
  if (earlier) assertSameCall(earlier, gated.inputHash, requestHash);
  return earlier;
}

/** Concurrent calls share one approval. */
async function requestOnce(gateway: Gateway, gated: GatedCall): Promise<Approval> {
  try {
    const approval = await gateway.db.transaction((tx) =>
      requestApproval(gateway, tx, { ...approvalOfCall(gated), facts: factsToKeep(gated.call) }),
    );
    await startApprovalWorkflow(gateway, approval);
    return approval;
  } catch (error) {
    if (!isDuplicate(error, 'approvals_one_pending')) throw error;
    for (const overdue of await listOverdueApprovalIds(gateway.db, bindingOf(gated))) await timeOutApproval(gateway, overdue);
    return (await findReusableApproval(gateway.db, bindingOf(gated))) ?? requestOnce(gateway, gated);
  }
}

function bindingOf({ call, inputHash, match }: GatedCall): Binding {
  return { orgId: call.orgId, inputHash, policyId: match.policy.id };
}
