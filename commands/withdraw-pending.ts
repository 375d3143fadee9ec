import { settledActivity } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import type { CodeRunResult } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { type Concern, cancelPendingApprovals } from '../store/approval-moves.ts';
import { cancelCodeRuns } from '../store/code-run-moves.ts';
import { insertSettled } from '../store/outbox.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';
import { tellSettled } from './tell-orchestrator.ts';

/**
 * In the transaction that deletes something: cancels the pending approvals and ends the unfinished code runs that concern it, saying why.
 * Answers what is left to do after commit. A run that merely has a canceled gate hears of it there, and ends too.
 */
export async function withdrawPending(gateway: Gateway, tx: Db, concern: Concern, reason: string): Promise<() => Promise<void>> {
  const canceled = await withdrawApprovals(gateway, tx, concern, reason);
  const { workspaceIntegrationId, connectionId, ...whole } = concern;
  const isPartOfRuns = workspaceIntegrationId !== undefined || connectionId !== undefined;
  const ended = isPartOfRuns ? [] : await cancelCodeRuns(tx, whole, canceledBecause(reason));
  return async () => {
    await Promise.all([...canceled.map((approval) => tellSettled(gateway, approval)), ...ended.map(({ id }) => tellCanceled(gateway, id))]);
  };
}

/** Cancels the pending approvals that concern this, and leaves word of each; answers them, to be told after commit. */
export async function withdrawApprovals(gateway: Gateway, tx: Db, concern: Concern, reason: string): Promise<Approval[]> {
  const canceled = await cancelPendingApprovals(tx, concern, reason);
  for (const approval of canceled) {
    await announceApproval(gateway, tx, 'approval.canceled', approval);
    await insertSettled(tx, approval);
  }
  await recordActivity(tx, ...canceled.map((approval) => settledActivity(approval)));
  return canceled;
}

/** What a canceled run answers. */
export function canceledBecause(message: string): CodeRunResult {
  return { output: null, error: { code: 'CODE_RUN_CANCELED', message }, logs: [], timings: { totalExecuteMs: 0, sandboxMs: 0 } };
}

/** Lets the workflow of a canceled run end; one that can't be told now finds out at its next step. */
export async function tellCanceled(gateway: Gateway, codeRunId: string): Promise<void> {
  await gateway.orchestrator.cancelCodeRun(codeRunId).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'the workflow of a canceled run was not told');
  });
}
