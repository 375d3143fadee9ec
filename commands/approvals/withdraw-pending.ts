import { settledActivity } from '../../domain/activity.ts';
import type { Approval } from '../../domain/approval.ts';
import type { CodeRunResult } from '../../domain/code-run.ts';
import type { Db } from '../../infra/database.ts';
import { type Concern, cancelPendingApprovals } from '../../store/approval-transitions.ts';
import { cancelCodeRuns } from '../../store/code-run-transitions.ts';
import { insertSettled } from '../../store/outbox.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled } from '../outbox/notify-orchestrator.ts';
import { announceApproval } from './announce-approval.ts';

/**
 * Cancels the pending approvals that depend on a record. Also cancels the code runs that depend on
 * it, unless the record is a workspace integration or a connection. The returned function signals
 * the workflows: call it after commit.
 */
export async function withdrawPending(gateway: Gateway, tx: Db, concern: Concern, reason: string): Promise<() => Promise<void>> {
  const canceled = await withdrawApprovals(gateway, tx, concern, reason);
  const { workspaceIntegrationId, connectionId, ...whole } = concern;
  const isPartOfRuns = workspaceIntegrationId !== undefined || connectionId !== undefined;
  const ended = isPartOfRuns ? [] : await cancelCodeRuns(tx, whole, canceledBecause(reason));
  return async () => {
    await Promise.all([
      ...canceled.map((approval) => signalSettled(gateway, approval)),
      ...ended.map(({ id }) => signalCanceled(gateway, id)),
    ]);
  };
}

/**
 * Cancels the pending approvals that depend on a record. The caller signals their workflows after
 * commit.
 */
export async function withdrawApprovals(gateway: Gateway, tx: Db, concern: Concern, reason: string): Promise<Approval[]> {
  const canceled = await cancelPendingApprovals(tx, concern, reason);
  for (const approval of canceled) {
    await announceApproval(gateway, tx, 'approval.canceled', approval);
    await insertSettled(tx, approval);
  }
  await recordActivity(tx, ...canceled.map((approval) => settledActivity(approval)));
  return canceled;
}

/** The result of a canceled run. */
export function canceledBecause(message: string): CodeRunResult {
  return { output: null, error: { code: 'CODE_RUN_CANCELED', message }, logs: [], timings: { totalExecuteMs: 0, sandboxMs: 0 } };
}

/** Signals the workflow of a canceled run. Does not throw. */
export async function signalCanceled(gateway: Gateway, codeRunId: string): Promise<void> {
  await gateway.orchestrator.cancelCodeRun(codeRunId).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'cancel signal for a code run workflow failed');
  });
}
