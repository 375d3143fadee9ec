import type { Approval } from '../../../domain/approval.ts';
import type { CallEntry, CallOfRun } from '../../../domain/call.ts';
import type { JudgedCall } from '../../../domain/judged-call.ts';
import { findApproval } from '../../../store/approvals.ts';
import { holdJournalCall, startJournalCall } from '../../../store/journal.ts';
import type { Gateway } from '../../gateway.ts';
import { type GatePath, type StartCall, waitFor } from './admission.ts';
import { requestAndHold } from './call-in-run.ts';
import { letThrough, letThroughByPolicy } from './let-through.ts';
import { useApproval, usePlanApproval } from './use-approval.ts';

/** The gate for a call of a code run that waits for approval since an earlier pass. */
export function heldCall(run: CallOfRun, held: CallEntry): GatePath {
  const start: StartCall = async (tx, { inputHash }, approval) => {
    if (approval && approval.id !== held.approvalId) await holdJournalCall(tx, run, held.id, { inputHash, approvalId: approval.id });
    await startJournalCall(tx, run, held.id);
    return held.id;
  };
  const findAsked = async (gateway: Gateway, judged: JudgedCall): Promise<Approval | undefined> => {
    const approval = held.approvalId ? await findApproval(gateway.db, judged.call.orgId, held.approvalId) : undefined;
    return approval && isAbout(approval, run, judged) ? approval : undefined;
  };
  return {
    admitUngated: async (gateway, judged) => {
      const asked = await findAsked(gateway, judged);
      if (!asked) return letThrough(gateway, judged, start, true);
      return (await useApproval(gateway, judged, asked, start)) ?? waitFor(asked, judged);
    },
    admitByPolicy: async (gateway, gated) => letThroughByPolicy(gateway, gated, start, await findAsked(gateway, gated)),
    admitByApproval: async (gateway, gated) => {
      const asked = await findAsked(gateway, gated);
      if (asked) return (await useApproval(gateway, gated, asked, start)) ?? waitFor(asked, gated);
      return (
        (await usePlanApproval(gateway, gated, run, start)) ??
        requestAndHold(gateway, gated, (tx, { inputHash }, approvalId) => holdJournalCall(tx, run, held.id, { inputHash, approvalId }))
      );
    },
  };
}

function isAbout(approval: Approval, run: CallOfRun, { inputHash, match }: JudgedCall): boolean {
  const isOfAnotherPolicy = match?.policy.decision === 'require_approval' && match.policy.id !== approval.policyId;
  return !isOfAnotherPolicy && approval.inputHash === inputHash && approval.codeHash === run.codeHash;
}
