import { UNVERIFIED_OPERATOR } from '../../domain/approval.ts';
import { isFinished } from '../../domain/code-run.ts';
import { deleteUnstartedCodeRun } from '../../store/code-run-starts.ts';
import { claimUnseenRunIds, findRunToRecover } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';
import { cancelCodeRun } from './cancel-code-run.ts';
import { startRunWorkflow } from './start-run-workflow.ts';

/** Age in seconds. A younger run may still be starting. */
const STARTING_SECONDS = 10;

/**
 * Replaces a lost workflow of a run, cancels a run whose workflow was stopped in Temporal, and
 * deletes a run that was never started. Returns true if the workflow now exists.
 */
export async function recoverCodeRun(gateway: Gateway, codeRunId: string): Promise<boolean> {
  const run = await findRunToRecover(gateway.db, codeRunId);
  if (!run || isFinished(run.status)) return false;
  const workflow = await gateway.orchestrator.findRunWorkflow(codeRunId);
  if (workflow.state === 'open') return true;
  if (workflow.state === 'stopped') {
    const reason = workflow.reason ?? 'its workflow was stopped in Temporal';
    await cancelCodeRun(gateway, { codeRunId, by: UNVERIFIED_OPERATOR, reason, sender: workflow.by });
    return false;
  }
  if (!run.hasBegun && !run.isDue) {
    if (run.ageSeconds > STARTING_SECONDS) await deleteUnstartedCodeRun(gateway.db, codeRunId);
    return false;
  }
  if (!run.isDue) gateway.logger.warn({ codeRunId }, 'code run without workflow, starting a new one');
  const { orgId, workspaceId, serverName, status } = run;
  await startRunWorkflow(gateway, { codeRunId, orgId, workspaceId, status, serverName: serverName ?? '' });
  return true;
}

/** Recovers runs whose check is due, at most `limit`. Returns their number. */
export async function recoverCodeRuns(gateway: Gateway, limit: number): Promise<number> {
  const ids = await claimUnseenRunIds(gateway.db, limit);
  for (const id of ids) await recoverCodeRun(gateway, id);
  return ids.length;
}
