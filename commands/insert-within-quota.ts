import { GatewayError } from '../domain/errors.ts';
import { countRunningCodeRuns, insertCodeRun, type NewCodeRun } from '../store/code-runs.ts';
import { lockOrg } from '../store/orgs.ts';
import type { Gateway } from './gateway.ts';

/** Inserts a run that begins now. Throws QUOTA_EXCEEDED, exactly, where its organization has as many that run or wait for their turn as it may. */
export async function insertWithinQuota(gateway: Gateway, run: NewCodeRun): Promise<void> {
  const quota = gateway.config.quotas.codeRuns;
  if (quota === undefined) return insertCodeRun(gateway.db, run);
  await gateway.db.transaction(async (tx) => {
    await lockOrg(tx, run.orgId);
    if ((await countRunningCodeRuns(tx, run.orgId)) < quota) return insertCodeRun(tx, run);
    throw new GatewayError('QUOTA_EXCEEDED', `${quota} code runs are running already. Wait until one has ended.`, { quota });
  });
}
