import type { Approval } from '../../../domain/approval.ts';
import type { GatedCall, JudgedCall } from '../../../domain/judged-call.ts';
import type { Db } from '../../../infra/database.ts';
import { consumeApproval } from '../../../store/approval-transitions.ts';
import { insertPolicyDecidedApproval } from '../../../store/approvals.ts';
import { insertOutbox } from '../../../store/outbox.ts';
import { announceApproval } from '../../approvals/announce-approval.ts';
import { approvalOfCall } from '../../approvals/request-approval.ts';
import { recordActivity } from '../../audit/record-activity.ts';
import type { Gateway } from '../../gateway.ts';
import { startApprovalWorkflow } from '../../outbox/notify-orchestrator.ts';
import { type Admission, type StartCall, waitFor } from './admission.ts';
import { clearedActivities, consumedActivity, policyActivity } from './gate-activity.ts';

/**
 * Admits a call that no policy decides. A call that is recorded first does not run twice after a
 * crash.
 */
export async function letThrough(gateway: Gateway, judged: JudgedCall, start: StartCall, isRecordedFirst: boolean): Promise<Admission> {
  const { inputHash, cleared } = judged;
  if (cleared.length === 0) return { kind: 'admitted', inputHash, callId: isRecordedFirst ? await start(gateway.db, judged) : null };
  return gateway.db.transaction(async (tx) => {
    const callId = await start(tx, judged);
    await recordActivity(tx, ...clearedActivities(judged, callId));
    return { kind: 'admitted', inputHash, callId };
  });
}

/**
 * Admits a call by its policy, and records an approval that gives the reason (contract decisions
 * 3). `asked`, an approval that the call waits for, is consumed too.
 */
export async function letThroughByPolicy(gateway: Gateway, gated: GatedCall, start: StartCall, asked?: Approval): Promise<Admission> {
  const admitted = await gateway.db.transaction(async (tx) => {
    if (asked && !(await consumeApproval(tx, asked.id))) return undefined;
    const record = await recordPolicyDecision(gateway, tx, gated);
    const callId = await start(tx, gated, asked ?? record);
    await recordActivity(
      tx,
      ...(asked ? [consumedActivity(asked, gated, callId)] : []),
      ...clearedActivities(gated, callId),
      policyActivity('call.let_through', gated, { approvalId: record.id, callId }),
    );
    return { record, callId };
  });
  if (!admitted) return waitFor(asked!, gated);
  if (isAnnounced(gated)) await startApprovalWorkflow(gateway, admitted.record);
  return { kind: 'admitted', inputHash: gated.inputHash, callId: admitted.callId };
}

async function recordPolicyDecision(gateway: Gateway, tx: Db, gated: GatedCall): Promise<Approval> {
  const record = await insertPolicyDecidedApproval(tx, { ...approvalOfCall(gated), status: 'consumed' });
  if (!isAnnounced(gated)) return record;
  await announceApproval(gateway, tx, 'approval.requested', record);
  await insertOutbox(tx, { kind: 'approval-requested', approvalId: record.id });
  return record;
}

function isAnnounced({ match }: GatedCall): boolean {
  return match.policy.decision === 'notify_only';
}
