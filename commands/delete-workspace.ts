import type { CodeRunResult } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { revokeWorkspaceFromKeys } from '../store/api-keys.ts';
import { cancelPendingApprovals } from '../store/approval-moves.ts';
import { cancelRunsOfWorkspace } from '../store/code-runs.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import { insertSettled } from '../store/outbox.ts';
import { deleteWorkspace as deleteWorkspaceRow } from '../store/workspaces.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { tellSettled } from './tell-orchestrator.ts';

const REASON = 'The workspace was deleted.';
const CANCELED: CodeRunResult = {
  output: null,
  error: { code: 'CODE_RUN_CANCELED', message: REASON },
  logs: [],
  timings: { totalExecuteMs: 0, sandboxMs: 0 },
};

/**
 * Deletes a workspace with everything inside it, in one transaction, and cancels its pending approvals and unfinished code runs.
 * Approvals, receipts and calls are history and stay. Throws NOT_FOUND.
 */
export async function deleteWorkspace(gateway: Gateway, { orgId, id }: { orgId: string; id: string }): Promise<void> {
  const { canceled, ended } = await gateway.db.transaction(async (tx) => {
    if (!(await deleteWorkspaceRow(tx, orgId, id))) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
    await revokeWorkspaceFromKeys(tx, orgId, id);
    await raisePoliciesVersion(tx, orgId);
    const canceled = await cancelPendingApprovals(tx, id, REASON);
    for (const approval of canceled) {
      await announceApproval(gateway, tx, 'approval.canceled', approval);
      await insertSettled(tx, approval);
    }
    return { canceled, ended: await cancelRunsOfWorkspace(tx, id, CANCELED) };
  });

  await Promise.all([...canceled.map((approval) => tellSettled(gateway, approval)), ...ended.map((runId) => cancelRun(gateway, runId))]);
}

/** A run that can't be told now finds out at its next step. */
async function cancelRun(gateway: Gateway, codeRunId: string): Promise<void> {
  await gateway.orchestrator.cancelCodeRun(codeRunId).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'run of a deleted workspace not canceled');
  });
}
