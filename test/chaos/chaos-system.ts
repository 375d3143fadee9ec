import { rmSync } from 'node:fs';
import { createOrg, type NewOrg } from '../../commands/access/create-org.ts';
import { childEnvironment, readConfig } from '../../infra/config.ts';
import { type Db, openDatabase } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { startPostgres } from '../../standalone/embedded-postgres.ts';
import { findProgram } from '../../standalone/find-program.ts';
import { freePort } from '../../standalone/free-port.ts';
import { apiUrlOf, bundleWorkflows, runMigrations, waitUntilReady } from '../../standalone/gateway-processes.ts';
import type { Program } from '../../standalone/run-program.ts';
import { keepSecrets } from '../../standalone/secrets.ts';
import { startTemporalServer } from '../../standalone/temporal-server.ts';
import { makeTestFolder, READY_SECONDS } from '../support/test-bed.ts';
import { type ChaosPart, startPart, untilItSays } from './chaos-part.ts';
import { createFaultInjector, type FaultInjector, FREE, type Passage, TARGETS, type Target, type Verdict } from './fault-injector.ts';
import { openPostgresWire } from './postgres-wire.ts';
import { openRunWatch, type RunWatch } from './run-watch.ts';
import { isBackground, openTemporalWire } from './temporal-wire.ts';

/**
 * The whole system on this machine. The API and the worker reach the other parts through proxies.
 */
export interface ChaosSystem extends NewOrg {
  apiUrl: string;
  temporalAddress: string;
  taskQueue: string;
  dataDir: string;
  /** A connection to Postgres without the proxies. */
  db: Db;
  faults: FaultInjector;
  runWatch: RunWatch;
  parts: Record<Target, ChaosPart>;
  /** Resolves when all parts run and the API is ready. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface ChaosOptions {
  /** A workflow bundle. By default, one is built. */
  bundle?: string;
  /** Clock offsets of the API and the worker, in milliseconds. */
  clockShiftMs?: { api: number; worker: number };
}

/** Starts a separate system whose Postgres and Temporal keep their data when killed. */
export async function startChaosSystem({ bundle, clockShiftMs }: ChaosOptions = {}): Promise<ChaosSystem> {
  const dataDir = makeTestFolder('gateway-chaos-');
  const secrets = keepSecrets(dataDir, {});
  const faults = createFaultInjector();
  const runWatch = openRunWatch();
  const [postgresPort, temporalPort, apiPort] = await Promise.all([freePort(0), freePort(0), freePort(0)]);
  const temporalCommand = await findProgram('temporal', { cacheDir: readConfig().cacheDir });
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.toReversed()) await end().catch(() => {});
    rmSync(dataDir, { recursive: true, force: true });
  };
  const keep = async (start: () => Promise<Program>, signal: NodeJS.Signals = 'SIGKILL') => {
    const { part, stop } = await startPart(start, signal);
    closing.push(stop);
    return part;
  };

  try {
    let url = '';
    const [postgres, temporal, workflowBundle] = await Promise.all([
      // SIGQUIT aborts all sessions. On restart, Postgres recovers committed data from its log.
      keep(async () => {
        const started = await startPostgres({ dataDir, port: postgresPort });
        url = started.url;
        return started;
      }, 'SIGQUIT'),
      keep(() => startTemporalServer({ command: temporalCommand, dataDir, port: temporalPort, namespace: 'default' })),
      bundle ?? bundleWorkflows(dataDir),
    ]);
    await runMigrations(dataDir, childEnvironment({ ...secrets, DATABASE_URL: url }));
    const db = openDatabase({ url, name: 'chaos', maxConnections: 4 });
    closing.push(() => db.destroy());

    const temporalAddress = `127.0.0.1:${temporalPort}`;
    const taskQueue = 'chaos';
    const environmentOf = async (name: 'api' | 'worker') => {
      const [toPostgres, toTemporal] = await Promise.all([
        openPostgresWire({ host: '127.0.0.1', port: postgresPort }, (statement) =>
          bothOf(faults.pass(name, 'postgres', statement.label), runWatch.statement(name, statement)),
        ),
        openTemporalWire(temporalAddress, (method, request) =>
          bothOf(isBackground(method) ? FREE : faults.pass(name, 'temporal', method), runWatch.temporalCall(name, method, request)),
        ),
      ]);
      closing.push(toPostgres.close, toTemporal.close);
      const wired = new URL(url);
      wired.port = String(toPostgres.port);
      const env = childEnvironment({
        ...secrets,
        ...SETTINGS,
        HOST: '127.0.0.1',
        PORT: String(apiPort),
        DATABASE_URL: wired.href,
        TEMPORAL_ADDRESS: toTemporal.address,
        TEMPORAL_TASK_QUEUE: taskQueue,
        WORKFLOW_BUNDLE: workflowBundle,
      });
      return clockShiftMs ? { ...env, NODE_OPTIONS: shifting(clockShiftMs[name]) } : env;
    };
    const [apiEnv, workerEnv] = await Promise.all([environmentOf('api'), environmentOf('worker')]);
    const apiUrl = apiUrlOf('127.0.0.1', apiPort);
    const [api, worker] = await Promise.all([
      keep(() => untilItSays('listening', 'api', dataDir, apiEnv)),
      keep(() => untilItSays('worker runs', 'worker', dataDir, workerEnv)),
    ]);
    const parts = { api, worker, temporal, postgres };
    const ready = async () => {
      await Promise.all(TARGETS.map((target) => parts[target].back()));
      await waitUntilReady(apiUrl, READY_SECONDS);
    };
    await ready();
    const org = await createOrg({ db, tokens: openTokens(secrets.TOKEN_PEPPER) }, 'Chaos');
    return { ...org, apiUrl, temporalAddress, taskQueue, dataDir, db, faults, runWatch, parts, ready, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A message is dropped if one of the watchers drops it. */
function bothOf(one: Passage, other: Passage): Passage {
  const dropped = (first: Verdict, second: Verdict): Verdict => (first === 'drop' ? first : second);
  return {
    before: async () => dropped(await one.before(), await other.before()),
    after: async (answer) => dropped(await one.after(answer), await other.after(answer)),
  };
}

const SETTINGS = { OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', RATE_LIMIT_PER_SECOND: '0' };

function shifting(ms: number): string {
  return `--import ${new URL(`./shift-clock.ts?ms=${ms}`, import.meta.url).href}`;
}
