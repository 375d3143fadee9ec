import { z } from 'zod';
import { decideAsOperator } from '../commands/approvals/decide-as-operator.ts';
import { endIfOverdue } from '../commands/approvals/time-out-approval.ts';
import type { Gateway } from '../commands/gateway.ts';
import { DECISIONS, type Decision } from '../domain/approval.ts';
import { OPERATOR_REFUSALS_RECORDED, OPERATOR_SIGNALS_WAITING } from '../domain/limits.ts';
import { readOperatorNote } from '../domain/read-operator-note.ts';
import type { ApprovalState, OperatorDecision } from '../workflows/contract.ts';
import { readActivityInput } from './read-activity-input.ts';

const settleInput = z.object({ approvalId: z.string(), decisions: z.unknown() });

/** Activities on approvals. */
export function createApprovalActivities(gateway: Gateway) {
  return {
    /**
     * Applies the decisions of operators and returns the state. A deleted approval counts as
     * canceled.
     */
    async settleApproval(request: { approvalId: string; decisions: OperatorDecision[] }): Promise<ApprovalState> {
      const { approvalId, decisions } = readActivityInput(settleInput, request);
      const refusals: string[] = [];
      for (const asked of readable(decisions)) {
        const isRecorded = asked.nth < OPERATOR_REFUSALS_RECORDED;
        const sender = isRecorded ? await senderOf(gateway, approvalId, asked) : null;
        const refusal = await decideAsOperator(gateway, { ...asked, approvalId, sender, isRecorded });
        if (refusal !== null) refusals.push(`${asked.decision}. ${refusal}`);
      }
      const trustsSignals = gateway.config.operatorSignals === 'trusted';
      const current = await endIfOverdue(gateway, approvalId);
      if (!current) return { status: 'canceled', timeLeftMs: 0, refusals, trustsSignals };
      const { status } = current.approval;
      return { status, timeLeftMs: status === 'pending' ? current.timeLeftMs : 0, refusals, trustsSignals };
    },
  };
}

/** Drops entries that our workflow cannot have sent. */
function readable(decisions: unknown): OperatorDecision[] {
  if (!Array.isArray(decisions)) return [];
  return decisions.slice(0, DECISIONS.length * OPERATOR_SIGNALS_WAITING).flatMap((asked) => {
    const { decision, nth, reason, code, otherCodes, isUnclear } = Object(asked);
    if (!DECISIONS.includes(decision)) return [];
    const note = readOperatorNote({ reason, code }, otherCodes);
    return [{ ...note, ...(isUnclear && { isUnclear: true as const }), decision, nth: Number.isInteger(nth) ? nth : 0 }];
  });
}

/** A failed lookup returns null, so that it does not delay the decision. */
async function senderOf(
  gateway: Gateway,
  approvalId: string,
  { decision, nth }: { decision: Decision; nth: number },
): Promise<string | null> {
  return gateway.orchestrator.findSignalSender(approvalId, decision, nth).catch((error) => {
    gateway.logger.warn({ approvalId, error: String(error) }, 'signal sender lookup failed');
    return null;
  });
}
