import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, readConfig } from '../../infra/config.ts';
import { startPostgres } from '../../standalone/embedded-postgres.ts';
import { findProgram } from '../../standalone/find-program.ts';
import { freePort } from '../../standalone/free-port.ts';
import { apiUrlOf, bundleWorkflows, runMigrations, startProcess, waitUntilReady } from '../../standalone/gateway-processes.ts';
import { findRecordedProcess, recordProcess } from '../../standalone/process-record.ts';
import type { Program } from '../../standalone/run-program.ts';
import { keepSecrets } from '../../standalone/secrets.ts';
import { startTemporalServer } from '../../standalone/temporal-server.ts';
import { copyTemplate, createTemplate } from './databases.ts';

/**
 * The parts that all tests of a run share. The first request for a part starts it. Every answer is
 * plain JSON.
 */
export type TestBed = {
  /** Environment variables that every process of the bed shares, secrets included. */
  env: () => Promise<Record<string, string>>;
  /** A Postgres with the migrated template database. */
  postgres: () => Promise<{ adminUrl: string }>;
  temporal: () => Promise<{ address: string }>;
  /** One API and one worker on a copy of the template. */
  system: () => Promise<{ apiUrl: string; databaseUrl: string }>;
  /** The path of the workflow bundle that every worker of the run uses. */
  workflowBundle: () => Promise<{ path: string }>;
  timeSkippingServer: () => Promise<{ path: string }>;
};

/** Maximum time for a system to start, in seconds. The machine can be busy. */
export const READY_SECONDS = 110;

const PREFIX = 'gateway-test-';

/**
 * Opens a test bed in its own folder inside the system's temporary folder. `close` stops every
 * process and removes the folder.
 */
export function openTestBed({ durable = false } = {}): { bed: TestBed; close: () => Promise<void> } {
  removeAbandonedBeds();
  const dataDir = makeTestFolder(PREFIX);
  recordProcess(dataDir, 'supervisor', process.pid, 'SIGTERM');
  const env = { ...keepSecrets(dataDir, {}), ...TEST_VARIABLES };
  const { cacheDir } = readConfig();
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const programs: Promise<Program>[] = [];
  const keep = <P extends Program>(program: Promise<P>) => {
    programs.unshift(program);
    return program;
  };

  const bed: TestBed = {
    env: async () => env,
    postgres: once(async () => {
      const port = await freePort(0);
      const { adminUrl } = await keep(startPostgres({ dataDir, port, durable }));
      await createTemplate(adminUrl, (url) => runMigrations(dataDir, childEnvironment({ ...env, DATABASE_URL: url })));
      return { adminUrl };
    }),
    temporal: once(async () => {
      const command = await findProgram('temporal', { cacheDir, say });
      const port = await freePort(0);
      const { address } = await keep(startTemporalServer({ command, dataDir, port, namespace: 'default', inMemory: true }));
      return { address };
    }),
    workflowBundle: once(async () => ({ path: await bundleWorkflows(dataDir) })),
    system: once(async () => {
      const [{ adminUrl }, { address }, { path }] = await Promise.all([bed.postgres(), bed.temporal(), bed.workflowBundle()]);
      const databaseUrl = await copyTemplate(adminUrl, 'gateway_system');
      const port = await freePort(0);
      const processEnv = childEnvironment({
        ...env,
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: address,
        HOST: '127.0.0.1',
        PORT: String(port),
        WORKFLOW_BUNDLE: path,
      });
      await Promise.all([keep(startProcess('api', dataDir, processEnv)), keep(startProcess('worker', dataDir, processEnv))]);
      const apiUrl = apiUrlOf('127.0.0.1', port);
      await waitUntilReady(apiUrl, READY_SECONDS);
      return { apiUrl, databaseUrl };
    }),
    timeSkippingServer: once(async () => ({ path: await findProgram('temporal-test-server', { cacheDir, say }) })),
  };

  const close = async () => {
    for (const program of await Promise.allSettled(programs)) if (program.status === 'fulfilled') await program.value.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { bed, close };
}

/** AWAY_AFTER_MS is long, so that a busy machine does not look like an outage. */
const TEST_VARIABLES = {
  OUTBOUND_ALLOW_HTTP: '1',
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  AWAY_AFTER_MS: '30000',
  RATE_LIMIT_PER_SECOND: '0',
  TEMPORAL_NAMESPACE: 'default',
  TEMPORAL_TASK_QUEUE: 'gateway',
};

/** Creates a folder inside the system's temporary folder. Postgres' user is allowed to enter it. */
export function makeTestFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

/** Folders younger than a minute stay: a new run may not have recorded its process yet. */
function removeAbandonedBeds(): void {
  const beds = readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX));
  for (const folder of beds.map((entry) => join(tmpdir(), entry))) {
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? Date.now());
    if (age > 60_000 && !findRecordedProcess(folder, 'supervisor')) rmSync(folder, { recursive: true, force: true });
  }
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}
