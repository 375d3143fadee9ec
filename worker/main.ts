import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { openPassCanceler } from '../commands/code-runs/pass/cancel-passes.ts';
import { startPassesEagerly } from '../commands/code-runs/pass/start-pass-eagerly.ts';
import { openDeliverySender } from '../commands/webhooks/delivery-sender.ts';
import { openGateway } from '../composition/open-gateway.ts';
import { retry } from '../infra/concurrency/retry.ts';
import { readConfig, required, SetupError } from '../infra/config.ts';
import { trimMemoryAfterStart } from '../infra/trim-memory.ts';
import { decisionTaskQueue, webhookTaskQueue } from '../workflows/contract.ts';
import { startDeliveries } from './start-deliveries.ts';
import { startReconciling } from './start-reconciling.ts';
import { startUpkeep } from './start-upkeep.ts';
import { workflowSource } from './workflow-source.ts';

/** Maximum number of runs that activities of this process advance or queue. */
const MAX_RUNS_IN_HAND = 1000;

/** Maximum number of concurrent cancellations of runs. */
const MAX_DECISIONS = 100;

const MAX_WEBHOOK_RETRIES = 200;

/** Workflows beyond this number are replayed from their history. */
const MAX_CACHED_WORKFLOWS = 100;

/** Time in ms that the work under way gets when the process stops. */
const GRACE_MS = 3000;

/**
 * npm run worker: runs workflows, activities, the reconciliation, webhook deliveries and periodic
 * duties.
 */
try {
  const config = readConfig();
  const gateway = openGateway(config, 'worker');
  const { logger } = gateway;
  const sandbox = await gateway.sandboxes.isolates();
  const sender = openDeliverySender(gateway);
  const passCanceler = openPassCanceler(gateway);

  Runtime.install({ shutdownSignals: [], telemetryOptions: { logging: { filter: 'WARN', forward: {} } } });
  const address = required(config.temporal.address, 'TEMPORAL_ADDRESS');
  const unreachable = {
    backoff: { firstMs: 200, maxMs: 5000 },
    onRetry: (error: unknown) => logger.warn({ error: String(error) }, 'temporal not reachable, retrying'),
  };
  // Ping first: the native connection waits half a minute for a server that hangs.
  await retry(unreachable, () => gateway.orchestrator.ping());
  const connection = await retry(unreachable, () => NativeConnection.connect({ address }));
  const { namespace, taskQueue } = config.temporal;
  const ahead = startPassesEagerly(gateway, { sandbox, passCanceler }, { graceMs: GRACE_MS });
  const activities = createActivities(gateway, { sender, sandbox, passCanceler, ahead });
  const common = { connection, namespace, activities, shutdownGraceTime: GRACE_MS, shutdownForceTime: '5 seconds' } as const;
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      ...workflowSource(config.temporal.workflowBundle),
      maxConcurrentActivityTaskExecutions: MAX_RUNS_IN_HAND,
      maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    }),
    Worker.create({ ...common, taskQueue: decisionTaskQueue(taskQueue), maxConcurrentActivityTaskExecutions: MAX_DECISIONS }),
    Worker.create({ ...common, taskQueue: webhookTaskQueue(taskQueue), maxConcurrentActivityTaskExecutions: MAX_WEBHOOK_RETRIES }),
  ]);

  gateway.receipts.register().catch(() => {}); // after a failure, the first use registers the key
  const reconciling = startReconciling(gateway);
  const deliveries = startDeliveries(gateway, sender);
  const upkeep = startUpkeep(gateway);
  const stop = () => {
    void deliveries.stop();
    void ahead.stop();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.once('disconnect', stop);

  trimMemoryAfterStart();
  logger.info({ taskQueue }, 'worker runs');
  await Promise.all(workers.map((worker) => worker.run()));
  await Promise.all([reconciling.stop(), upkeep.stop(), deliveries.stop(), ahead.stop()]);
  await connection.close();
  await gateway.close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
