import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { advanceRunsAhead } from '../commands/advance-ahead.ts';
import { openGateway } from '../commands/gateway.ts';
import { openDeliverySender } from '../commands/open-delivery-sender.ts';
import { openPassStops } from '../commands/stop-passes.ts';
import { readConfig, required, SetupError } from '../infra/config.ts';
import { trimMemoryAfterStart } from '../infra/trim-memory.ts';
import { codeTaskQueue, decisionTaskQueue, webhookTaskQueue } from '../workflows/contract.ts';
import { startDeliveries } from './start-deliveries.ts';
import { startRelay } from './start-relay.ts';
import { untilReachable } from './until-reachable.ts';
import { workflowSource } from './workflow-source.ts';

/** Runs that this process moves on or that wait here for their turn, which costs next to nothing. */
const MAX_RUNS_IN_HAND = 1000;

/** Decisions that this process settles at a time. */
const MAX_DECISIONS = 100;

/** Retries of webhooks at a time in this process; few of them may go to the same destination. */
const MAX_WEBHOOK_RETRIES = 200;

/** Workflows that wait are kept in memory for a while, a quarter of a megabyte each; what is not kept is read again from its history when something happens. */
const MAX_CACHED_WORKFLOWS = 100;

/** What is under way at the stop may end by itself for so long. */
const GRACE_MS = 3000;

/** npm run worker: runs the workflows and their activities, the outbox relay, and the sending of webhooks. */
try {
  const config = readConfig();
  const gateway = openGateway(config, 'worker');
  const { logger } = gateway;
  const sandbox = await gateway.sandboxes.isolates();
  const sender = openDeliverySender(gateway);
  const passStops = openPassStops(gateway);

  Runtime.install({ shutdownSignals: [], telemetryOptions: { logging: { filter: 'WARN', forward: {} } } });
  const address = required(config.temporal.address, 'TEMPORAL_ADDRESS');
  const connection = await untilReachable(() => NativeConnection.connect({ address }), logger);
  await untilReachable(() => gateway.orchestrator.ping(), logger);
  const { namespace, taskQueue } = config.temporal;
  const ahead = advanceRunsAhead(gateway, { sandbox, passStops }, { graceMs: GRACE_MS });
  const activities = createActivities(gateway, { sender, sandbox, passStops, ahead });
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
    Worker.create({
      ...common,
      taskQueue: codeTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: MAX_RUNS_IN_HAND,
      maxConcurrentActivityTaskPolls: 1, // for workflows of before
    }),
    Worker.create({ ...common, taskQueue: webhookTaskQueue(taskQueue), maxConcurrentActivityTaskExecutions: MAX_WEBHOOK_RETRIES }),
  ]);

  gateway.receipts.register().catch(() => {}); // when the database is back, the first use does it
  const relay = startRelay(gateway);
  const deliveries = startDeliveries(gateway, sender);
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
  await Promise.all([relay.stop(), deliveries.stop(), ahead.stop()]);
  await connection.close();
  await gateway.close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
