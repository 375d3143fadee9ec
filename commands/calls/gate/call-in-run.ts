import type { CallOfRun } from '../../../domain/call.ts';
import type { GatedCall } from '../../../domain/judged-call.ts';
import type { Db } from '../../../infra/database.ts';
import { insertJournalCall } from '../../../store/journal.ts';
import { approvalOfCall, requestApproval } from '../../approvals/request-approval.ts';
import type { Gateway } from '../../gateway.ts';
import { startApprovalWorkflow } from '../../outbox/notify-orchestrator.ts';
import { type Admission, type GatePath, type StartCall, waitFor } from './admission.ts';
import { letThrough, letThroughByPolicy } from './let-through.ts';
import { reuseApproval, usePlanApproval } from './use-approval.ts';

/**
 * The gate for a new call of a code run. A call that needs its own approval is recorded as gated. A
 * later pass repeats the call.
 */
export function callInRun(run: CallOfRun): GatePath {
  const hold: HoldCall = async (tx, { call, inputHash }, approvalId) => {
    await insertJournalCall(tx, call, { inputHash, status: 'gated', approvalId });
  };
  return {
    admitUngated: (gateway, judged) => letThrough(gateway, judged, start, !judged.call.idempotent),
    admitByPolicy: (gateway, gated) => letThroughByPolicy(gateway, gated, start),
    admitByApproval: async (gateway, gated) =>
      (await usePlanApproval(gateway, gated, run, start)) ??
      (await reuseApproval(gateway, gated, start)) ??
      requestAndHold(gateway, gated, hold),
  };
}

const start: StartCall = async (tx, { call, inputHash }, approval) =>
  insertJournalCall(tx, call, { inputHash, status: 'executing', approvalId: approval?.id ?? null });

type HoldCall = (tx: Db, gated: GatedCall, approvalId: string) => Promise<void>;

/** Requests an approval and calls `hold` in one transaction. */
export async function requestAndHold(gateway: Gateway, gated: GatedCall, hold: HoldCall): Promise<Admission> {
  const approval = await gateway.db.transaction(async (tx) => {
    const requested = await requestApproval(gateway, tx, approvalOfCall(gated));
    await hold(tx, gated, requested.id);
    return requested;
  });
  await startApprovalWorkflow(gateway, approval);
  return waitFor(approval, gated);
}
