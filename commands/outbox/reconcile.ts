import { expireUnusedApprovals } from '../approvals/expire-unused-approval.ts';
import { sealActivity } from '../audit/seal-activity.ts';
import { giveUpAbandonedCalls, giveUpOrphanedCalls } from '../calls/give-up-call.ts';
import { deleteOldRunResults } from '../code-runs/delete-old-run-results.ts';
import { recoverCodeRuns } from '../code-runs/recover-code-run.ts';
import { startDueWorkflows } from '../code-runs/start-run-workflow.ts';
import type { Gateway } from '../gateway.ts';
import { deleteOldFacts } from '../policies/delete-old-facts.ts';
import { isOrchestratorUnavailable } from './notify-orchestrator.ts';
import { resendOutbox } from './resend-outbox.ts';
import { timeOutOverdueApprovals } from './time-out-overdue-approvals.ts';

const BATCH = 50;

/** Maximum number of runs to check in a round. Each check costs a request to Temporal. */
const RUNS_PER_ROUND = 25;

/** Run in this order. */
const DUTIES: Record<string, (gateway: Gateway) => Promise<unknown>> = {
  'seal activity': ({ db }) => sealActivity(db),
  'expire unused approvals': (gateway) => inBatches((limit) => expireUnusedApprovals(gateway, limit)),
  'time out overdue approvals': (gateway) => inBatches((limit) => timeOutOverdueApprovals(gateway, limit)),
  'give up abandoned calls': (gateway) => inBatches((limit) => giveUpAbandonedCalls(gateway, limit)),
  'give up orphaned calls': (gateway) => inBatches((limit) => giveUpOrphanedCalls(gateway, limit)),
  'resend outbox': resendOutbox,
  'start due workflows': startDueWorkflows,
  'recover code runs': (gateway) => recoverCodeRuns(gateway, RUNS_PER_ROUND),
  'delete old run results': deleteOldRunResults,
  'delete old facts of calls': deleteOldFacts,
};

/**
 * Performs every duty once. A failed duty does not stop the others. Several processes can reconcile
 * at the same time.
 */
export async function reconcile(gateway: Gateway): Promise<void> {
  for (const [duty, perform] of Object.entries(DUTIES)) {
    try {
      await perform(gateway);
    } catch (error) {
      // The beginning of an outage of Temporal is already logged.
      const level = isOrchestratorUnavailable(error) ? 'debug' : 'warn';
      gateway.logger[level]({ duty, error: String(error) }, 'reconciliation duty failed, repeating it next round');
    }
  }
}

async function inBatches(perform: (limit: number) => Promise<number>): Promise<void> {
  while ((await perform(BATCH)) === BATCH) {}
}
