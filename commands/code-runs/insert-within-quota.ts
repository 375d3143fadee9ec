import { GatewayError } from '../../domain/errors.ts';
import { countRunningCodeRuns, insertCodeRun, type NewCodeRun } from '../../store/code-runs.ts';
import { lockOrg } from '../../store/orgs.ts';
import { holdWorkspace } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';
import { noSuchWorkspace } from '../workspaces/get-workspace.ts';

/**
 * Inserts a new run. Throws QUOTA_EXCEEDED if its organization has its maximum of running and
 * queued runs. Exact under concurrency.
 */
export async function insertWithinQuota(gateway: Gateway, run: NewCodeRun): Promise<void> {
  const quota = gateway.config.quotas.codeRuns;
  if (quota === undefined) return insertCodeRun(gateway.db, run);
  await gateway.db.transaction(async (tx) => {
    // In the lock order of `holdWorkspace`: the organization comes last.
    if (!(await holdWorkspace(tx, run.orgId, run.workspaceId))) throw noSuchWorkspace();
    await lockOrg(tx, run.orgId);
    if ((await countRunningCodeRuns(tx, run.orgId)) < quota) return insertCodeRun(tx, run);
    throw new GatewayError('QUOTA_EXCEEDED', `${quota} code runs are running already. Wait until one has ended.`, { quota });
  });
}
