import { isFinished } from '../domain/code-run.ts';
import { deleteUnstartedCodeRun, findCodeRun, takeUnseenRunIds } from '../store/code-runs.ts';
import { findServerName } from '../store/mcp-servers.ts';
import { cancelCodeRun } from './cancel-code-run.ts';
import type { Gateway } from './gateway.ts';

/** Starting a run takes two seconds at most; for so long its caller may still be at it. */
const STARTING_MS = 10_000;

/**
 * Looks after a run that has not ended: where its workflow is gone it gets another one, since all that it needs is in Postgres. Where somebody stopped the
 * workflow in Temporal, the run is canceled: that is what they wanted. A run that was never started is taken back. Answers whether its workflow is there now.
 */
export async function reviveCodeRun(gateway: Gateway, codeRunId: string): Promise<boolean> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (!run || isFinished(run.status)) return false;
  const workflow = await gateway.orchestrator.findRunWorkflow(codeRunId);
  if (workflow.state === 'open') return true;
  if (workflow.state === 'stopped') {
    const reason = workflow.reason ?? 'its workflow was stopped in Temporal';
    await cancelCodeRun(gateway, { codeRunId, by: { type: 'operator', id: workflow.by }, reason, sender: workflow.by });
    return false;
  }
  if (run.status === 'running' && run.toolSurfaceHash === null) {
    if (Date.now() - run.createdAt.getTime() > STARTING_MS) await deleteUnstartedCodeRun(gateway.db, codeRunId);
    return false;
  }
  gateway.logger.warn({ codeRunId }, 'a code run had lost its workflow and gets another one');
  const serverName = (await findServerName(gateway.db, run.mcpServerId)) ?? '';
  await gateway.orchestrator.startCodeRun({ codeRunId, orgId: run.orgId, workspaceId: run.workspaceId, serverName });
  return true;
}

/** Looks after those that nobody has looked at for a while, at most `limit`; answers how many. */
export async function reviveCodeRuns(gateway: Gateway, limit: number): Promise<number> {
  const ids = await takeUnseenRunIds(gateway.db, limit);
  for (const id of ids) await reviveCodeRun(gateway, id);
  return ids.length;
}
