import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { openGateway } from '../commands/gateway.ts';
import { readConfig, required, SetupError } from '../infra/config.ts';
import { openSandbox } from '../sandbox/open-sandbox.ts';
import { startRelay } from './start-relay.ts';
import { untilReachable } from './until-reachable.ts';
import { workflowSource } from './workflow-source.ts';

/** npm run worker: runs the workflows and their activities, and the outbox relay. */
try {
  const config = readConfig();
  const gateway = openGateway(config, 'worker');
  const { logger } = gateway;
  const sandbox = openSandbox({ logger, memoryMb: config.code.memoryMb });

  Runtime.install({ shutdownSignals: [], telemetryOptions: { logging: { filter: 'WARN', forward: {} } } });
  const address = required(config.temporal.address, 'TEMPORAL_ADDRESS');
  const connection = await untilReachable(() => NativeConnection.connect({ address }), logger);
  await untilReachable(() => gateway.orchestrator.ping(), logger);
  const worker = await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: config.temporal.taskQueue,
    ...workflowSource(config.temporal.workflowBundle),
    activities: createActivities(gateway, sandbox),
    maxConcurrentActivityTaskExecutions: 40,
    maxCachedWorkflows: 500,
    shutdownGraceTime: '3 seconds',
    shutdownForceTime: '5 seconds',
  });

  const relay = startRelay(gateway);
  const stop = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.once('disconnect', stop);

  logger.info({ taskQueue: config.temporal.taskQueue }, 'worker runs');
  await worker.run();
  await relay.stop();
  await sandbox.close();
  await connection.close();
  await gateway.close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
