import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities, createCodeActivities } from '../activities/index.ts';
import { openGateway } from '../commands/gateway.ts';
import { readConfig, required, SetupError } from '../infra/config.ts';
import { trimMemoryAfterStart } from '../infra/trim-memory.ts';
import { codeTaskQueue } from '../workflows/contract.ts';
import { startRelay } from './start-relay.ts';
import { untilReachable } from './until-reachable.ts';
import { workflowSource } from './workflow-source.ts';

/** Passes at a time in this process; each is a process of about 50 MB. */
const MAX_PASSES = 40;

/** npm run worker: runs the workflows and their activities, and the outbox relay. */
try {
  const config = readConfig();
  const gateway = openGateway(config, 'worker');
  const { logger } = gateway;
  const sandbox = await gateway.sandboxes.isolates();

  Runtime.install({ shutdownSignals: [], telemetryOptions: { logging: { filter: 'WARN', forward: {} } } });
  const address = required(config.temporal.address, 'TEMPORAL_ADDRESS');
  const connection = await untilReachable(() => NativeConnection.connect({ address }), logger);
  await untilReachable(() => gateway.orchestrator.ping(), logger);
  const { namespace, taskQueue } = config.temporal;
  const common = { connection, namespace, shutdownGraceTime: '3 seconds', shutdownForceTime: '5 seconds' } as const;
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      ...workflowSource(config.temporal.workflowBundle),
      activities: createActivities(gateway),
      maxConcurrentActivityTaskExecutions: 100,
      maxCachedWorkflows: 500,
    }),
    Worker.create({
      ...common,
      taskQueue: codeTaskQueue(taskQueue),
      activities: createCodeActivities(gateway, sandbox),
      maxConcurrentActivityTaskExecutions: MAX_PASSES,
    }),
  ]);

  const relay = startRelay(gateway);
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.once('disconnect', stop);

  trimMemoryAfterStart();
  logger.info({ taskQueue }, 'worker runs');
  await Promise.all(workers.map((worker) => worker.run()));
  await relay.stop();
  await connection.close();
  await gateway.close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
