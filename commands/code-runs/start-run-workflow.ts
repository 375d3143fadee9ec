import pLimit from 'p-limit';
import { isFinished } from '../../domain/code-run.ts';
import { isDatabaseUnavailable } from '../../infra/database.ts';
import { claimDueWorkflows, type DueWorkflow, markWorkflowStarted } from '../../store/code-run-starts.ts';
import type { Gateway } from '../gateway.ts';

/** Starts the workflow of a run, and records the start. Can be repeated. */
export async function startRunWorkflow(
  gateway: Pick<Gateway, 'db' | 'orchestrator' | 'logger'>,
  { status, ...run }: DueWorkflow,
): Promise<void> {
  const { codeRunId } = run;
  await gateway.orchestrator.startCodeRun({ ...run, endedAs: isFinished(status) ? status : undefined });
  await markWorkflowStarted(gateway.db, codeRunId).catch((error) => {
    const level = isDatabaseUnavailable(error) ? 'debug' : 'warn';
    gateway.logger[level]({ codeRunId, error: String(error) }, 'start of a code run workflow not recorded, the reconciliation repeats it');
  });
}

const BATCH = 50;

const CONCURRENCY = 10;

/** Within this time, a process usually starts the workflows of its runs itself. */
const GRACE_SECONDS = 3;

/**
 * Starts workflows that are overdue, for example because a process died. Throws UNAVAILABLE while
 * Temporal is unavailable.
 */
export async function startDueWorkflows(gateway: Gateway): Promise<void> {
  const limit = pLimit(CONCURRENCY);
  for (;;) {
    const due = await claimDueWorkflows(gateway.db, { olderThanSeconds: GRACE_SECONDS, limit: BATCH });
    const started = await Promise.allSettled(due.map((run) => limit(() => startRunWorkflow(gateway, run))));
    const failed = started.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (due.length > 0) gateway.logger.info({ started: due.length }, 'workflows of code runs started late');
    if (due.length < BATCH) return;
  }
}
