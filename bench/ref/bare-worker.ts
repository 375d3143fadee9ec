import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';

/**
 * The reference for approvals and code runs: a Temporal worker. Prints its task queue when ready.
 */
const { address, taskQueue } = JSON.parse(process.argv[2]!) as { address: string; taskQueue: string };
Runtime.install({ telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  activities: { bareActivity: async () => {} },
  maxCachedWorkflows: 500,
});
console.log(taskQueue);
await worker.run();
