import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { childEnvironment, readConfig, type VARIABLES } from '../../infra/config.ts';
import { findProgram } from '../../standalone/find-program.ts';
import { freePort } from '../../standalone/free-port.ts';
import { apiUrlOf, startProcess, waitUntilReady } from '../../standalone/gateway-processes.ts';
import type { Program } from '../../standalone/run-program.ts';
import { startTemporalServer } from '../../standalone/temporal-server.ts';
import { cloneDatabase, temporalAddress, testEnvironment, workflowBundlePath } from './ask-test-bed.ts';
import { makeTestFolder, READY_SECONDS } from './test-bed.ts';

export type OwnSystemOptions = {
  /** Environment variables of the API and the worker. They override all others. */
  env?: Partial<Record<keyof typeof VARIABLES, string>>;
  /**
   * Whether the system has its own Temporal server. Otherwise every function of `temporal` throws.
   */
  ownTemporal?: boolean;
};

/** `start` stops the running process first. The API and the worker are ready when it resolves. */
type Part = { kill: () => Promise<void>; signal: (signal: NodeJS.Signals) => void; stop: () => Promise<void>; start: () => Promise<void> };

export type OwnSystem = {
  apiUrl: string;
  databaseUrl: string;
  temporalAddress: string;
  taskQueue: string;
  dataDir: string;
  api: Part;
  worker: Part;
  temporal: Part;
  stop: () => Promise<void>;
};

/** The default of AWAY_AFTER_MS. The test bed sets a longer time. */
export const QUICK_TO_TELL = { AWAY_AFTER_MS: '1500' } as const;

/**
 * Starts a separate API and worker on their own database and task queue. The test must call `stop`.
 */
export async function startSystem({ env = {}, ownTemporal = false }: OwnSystemOptions = {}): Promise<OwnSystem> {
  const dataDir = makeTestFolder('gateway-own-');
  const [database, common, bundle, port] = await Promise.all([cloneDatabase(), testEnvironment(), workflowBundlePath(), freePort(0)]);
  const temporal = ownTemporal ? await prepareTemporal(dataDir) : { address: await temporalAddress(), part: NOT_OURS };
  const taskQueue = `own-${randomBytes(6).toString('hex')}`;
  const processEnv = childEnvironment({
    ...common,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: bundle,
    ...env,
  });
  const apiUrl = apiUrlOf('127.0.0.1', port);
  const api = part(() => startProcess('api', dataDir, processEnv));
  const worker = part(() => startProcess('worker', dataDir, processEnv));

  const stop = async () => {
    await Promise.all([api.stop(), worker.stop()]);
    if (ownTemporal) await temporal.part.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const ready = (process: Part): Part => ({ ...process, start: () => process.start().then(() => waitUntilReady(apiUrl, READY_SECONDS)) });
  try {
    if (ownTemporal) await temporal.part.start();
    await Promise.all([api.start(), worker.start()]);
    await waitUntilReady(apiUrl, READY_SECONDS);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    apiUrl,
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    taskQueue,
    dataDir,
    api: ready(api),
    worker: ready(worker),
    temporal: temporal.part,
    stop,
  };
}

async function prepareTemporal(dataDir: string): Promise<{ address: string; part: Part }> {
  const [command, port] = await Promise.all([findProgram('temporal', { cacheDir: readConfig().cacheDir }), freePort(0)]);
  return { address: `127.0.0.1:${port}`, part: part(() => startTemporalServer({ command, dataDir, port, namespace: 'default' })) };
}

function part(run: () => Promise<Program>): Part {
  let running: Program | undefined;
  return {
    kill: async () => running?.kill(),
    signal: (signal) => void process.kill(running!.pid, signal),
    stop: async () => running?.stop(),
    start: async () => {
      await running?.stop();
      running = await run();
    },
  };
}

const refuse = () => {
  throw new Error('the Temporal server is shared: ask for ownTemporal');
};
const NOT_OURS: Part = { kill: refuse, signal: refuse, stop: refuse, start: refuse };
