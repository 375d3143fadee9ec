import { GatewayError } from '../../domain/errors.ts';
import type { Db } from '../../infra/database.ts';
import { holdServerOfRun, insertStartedCodeRun, type NewCodeRun } from '../../store/code-run-starts.ts';
import { countRunningCodeRuns } from '../../store/code-runs.ts';
import { lockOrg } from '../../store/orgs.ts';
import type { Gateway } from '../gateway.ts';
import { noSuchServer } from '../mcp-servers/get-mcp-server.ts';

/**
 * Inserts a new run and starts it. The quota is exact even if runs start concurrently. Throws
 * NOT_FOUND and QUOTA_EXCEEDED.
 */
export async function insertWithinQuota(gateway: Gateway, run: NewCodeRun): Promise<void> {
  const quota = gateway.config.quotas.codeRuns;
  if (quota === undefined) return insert(gateway.db, run);
  await gateway.db.transaction(async (tx) => {
    // In the lock order of `holdWorkspace`, the organization comes last.
    if (!(await holdServerOfRun(tx, run))) throw noSuchServer();
    await lockOrg(tx, run.orgId);
    await assertWithinQuota(gateway, tx, run.orgId);
    await insert(tx, run);
  });
}

async function insert(db: Db, run: NewCodeRun): Promise<void> {
  if (!(await insertStartedCodeRun(db, run))) throw noSuchServer();
}

/** Throws QUOTA_EXCEEDED if the organization now has its maximum number of running runs. */
export async function assertWithinQuota({ config }: Pick<Gateway, 'config'>, db: Db, orgId: string): Promise<void> {
  const quota = config.quotas.codeRuns;
  if (quota === undefined || (await countRunningCodeRuns(db, orgId)) < quota) return;
  throw new GatewayError('QUOTA_EXCEEDED', `${quota} code runs are running or queued already. Wait until one has ended.`, { quota });
}
