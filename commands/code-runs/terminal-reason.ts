import type { CodeRunStatus, RunError } from '../../domain/code-run.ts';
import type { RunApproval } from '../../store/code-run-approvals.ts';
import { expireUnusedApproval } from '../approvals/expire-unused-approval.ts';
import type { Gateway } from '../gateway.ts';

interface TerminalReason {
  status: CodeRunStatus;
  error: RunError;
}

/**
 * Why a run cannot continue: an approval was rejected, canceled or has expired; undefined if the
 * run can continue. Expires approved approvals whose receipt has expired.
 */
export async function findTerminalReason(gateway: Gateway, approvals: readonly RunApproval[]): Promise<TerminalReason | undefined> {
  for (const approval of approvals) {
    const expired = approval.status === 'approved' ? await expireUnusedApproval(gateway, approval.id) : undefined;
    const reason = terminalReason({ ...approval, ...(expired && { status: expired.status }) });
    if (reason) return reason;
  }
  return undefined;
}

type DecidedApproval = Pick<
  RunApproval,
  'id' | 'status' | 'decidedByType' | 'decisionReason' | 'integrationName' | 'integrationAlias' | 'actionName'
>;

/**
 * The terminal status and error of a run that has this approval; undefined if the run can continue.
 */
export function terminalReason(approval: DecidedApproval): TerminalReason | undefined {
  const subject = `The approval ${approval.id} of ${approval.integrationAlias ?? approval.integrationName}.${approval.actionName}`;
  const reason = approval.decisionReason ? ` Reason: ${approval.decisionReason}` : '';
  const decision = approval.decidedByType === 'timeout' ? 'because nobody decided in time.' : `by a reviewer.${reason}`;
  switch (approval.status) {
    case 'rejected':
      return { status: 'rejected', error: { code: 'APPROVAL_REJECTED', message: `${subject} was rejected ${decision}` } };
    case 'expired':
      return { status: 'expired', error: { code: 'APPROVAL_EXPIRED', message: `${subject} expired before it was used.` } };
    case 'canceled':
      return { status: 'canceled', error: { code: 'APPROVAL_CANCELED', message: `${subject} was canceled.${reason}` } };
    default:
      return undefined;
  }
}
