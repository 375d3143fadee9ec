import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** The reference for an approval: a worker whose workflow waits for one signal, on a queue of its own. Prints its queue when it runs. */
const { address, taskQueue } = JSON.parse(process.argv[2]!) as { address: string; taskQueue: string };
Runtime.install({ telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  maxCachedWorkflows: 500,
});
console.log(taskQueue);
await worker.run();
