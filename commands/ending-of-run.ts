import type { Approval } from '../domain/approval.ts';
import type { CodeRunStatus, RunError } from '../domain/code-run.ts';
import { expireUnusedApproval } from './expire-unused-approval.ts';
import type { Gateway } from './gateway.ts';

type Ending = { status: CodeRunStatus; error: RunError };

/** Why a run can't go on: a person said no, or a permission ran out. */
export async function endingOf(gateway: Gateway, approvals: Approval[]): Promise<Ending | undefined> {
  for (const approval of approvals) {
    const current = approval.status === 'approved' ? ((await expireUnusedApproval(gateway, approval.id)) ?? approval) : approval;
    const ending = endingBy(current);
    if (ending) return ending;
  }
  return undefined;
}

function endingBy(approval: Approval): Ending | undefined {
  const of = `The approval ${approval.id} of ${approval.integrationAlias ?? approval.integrationName}.${approval.actionName}`;
  const reason = approval.decisionReason ? ` Reason: ${approval.decisionReason}` : '';
  switch (approval.status) {
    case 'rejected':
      return approval.decidedByType === 'timeout'
        ? { status: 'rejected', error: { code: 'APPROVAL_REJECTED', message: `${of} was rejected because nobody decided in time.` } }
        : { status: 'rejected', error: { code: 'APPROVAL_REJECTED', message: `${of} was rejected by a reviewer.${reason}` } };
    case 'expired':
      return { status: 'expired', error: { code: 'APPROVAL_EXPIRED', message: `${of} expired before it was used.` } };
    case 'canceled':
      return { status: 'canceled', error: { code: 'APPROVAL_CANCELED', message: `${of} was canceled.${reason}` } };
    default:
      return undefined;
  }
}
