import { sentBy } from '../../domain/activity.ts';
import type { Actor } from '../../domain/approval.ts';
import { type CodeRun, isFinished } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { hideOperatorCodes } from '../../domain/redaction/operator-codes-in-text.ts';
import { cancelCodeRuns } from '../../store/code-run-transitions.ts';
import { canceledBecause, signalCanceled, withdrawApprovals } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled } from '../outbox/notify-orchestrator.ts';
import { getCodeRun } from './get-code-run.ts';
import { awaitStoppedPass } from './pass/await-stopped-pass.ts';

export interface CancelCodeRun {
  codeRunId: string;
  /** The caller must have checked that this actor may cancel. */
  by: Actor;
  /** Operator codes in the reason are hidden (`hideOperatorCodes`). */
  reason?: string | undefined;
  /** For the audit trail: the sender that Temporal recorded for a cancellation by an operator. */
  sender?: string | null | undefined;
}

/** Cancels a run and its pending approvals. Does nothing if the run has ended. */
export async function cancelCodeRun(gateway: Gateway, { codeRunId, by, reason: given, sender }: CancelCodeRun): Promise<void> {
  const reason = given && hideOperatorCodes(given);
  const message = `The run was canceled${BY[by.type] ?? ''}${reason ? `: ${reason}` : '.'}`;
  // Ends the run first. A request for approval locks the run, so a later request finds the run
  // ended.
  const { canceled, approvals } = await gateway.db.transaction(async (tx) => {
    const [canceled] = await cancelCodeRuns(tx, { codeRunId }, canceledBecause(message));
    if (!canceled) return { canceled, approvals: [] };
    const { orgId, workspaceId } = canceled;
    const approvals = await withdrawApprovals(gateway, tx, { orgId, codeRunId }, message);
    await recordActivity(tx, {
      ...{ orgId, workspaceId, codeRunId, type: 'code_run.canceled', actor: by },
      details: { reason: reason ?? null, ...sentBy(sender) },
    });
    return { canceled, approvals };
  });
  if (!canceled) return;
  await Promise.all([signalCanceled(gateway, codeRunId), ...approvals.map((approval) => signalSettled(gateway, approval))]);
}

const BY: Partial<Record<Actor['type'], string>> = { operator: ' by an operator', user: ' by a person', api_key: ' through the API' };

/**
 * Cancels a run that the caller may read. Waits up to a second until its pass has stopped. Throws
 * CODE_RUN_NOT_FOUND, SCOPE_DENIED and CODE_RUN_FINISHED.
 */
export async function cancelCodeRunAs(gateway: Gateway, principal: KeyPrincipal, id: string, reason?: string): Promise<CodeRun> {
  assertUnfinished(await getCodeRun(gateway, principal, id));
  await cancelCodeRun(gateway, { codeRunId: id, by: actorOf(principal), reason });
  const run = await getCodeRun(gateway, principal, id);
  // The run may have ended before it could be canceled.
  if (run.status !== 'canceled') assertUnfinished(run);
  return awaitStoppedPass(gateway, run);
}

function assertUnfinished({ status }: CodeRun): void {
  if (isFinished(status)) throw new GatewayError('CODE_RUN_FINISHED', `This run has ended already: it is ${status}.`, { status });
}
