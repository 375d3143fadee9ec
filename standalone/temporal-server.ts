import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTE_TYPES } from '../domain/search-attributes.ts';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { waitForTemporal } from '../infra/temporal-ready.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { endOrTimeout, type Program, runProgram } from './run-program.ts';

export type TemporalServer = Program & {
  address: string;
  port: number;
  innerPorts: InnerPorts;
};

export type InnerPorts = [http: number, metrics: number];

export type TemporalServerOptions = {
  command: string;
  dataDir: string;
  port: number;
  /** Ports of the HTTP API and of the metrics. Default: free ports. */
  innerPorts?: InnerPorts;
  namespace: string;
  /** Keeps all state in memory, for tests. */
  inMemory?: boolean;
};

/**
 * Starts the Temporal dev server on 127.0.0.1 with its state under DATA_DIR/temporal. Web pages
 * cannot call it, because browsers do not speak gRPC.
 * The UI of the dev server is off, because it answers under any `Host`; `temporal-ui.ts` replaces
 * it.
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  mkdirSync(join(options.dataDir, 'temporal'), { recursive: true, mode: 0o700 });
  if (options.innerPorts) return startAt(options, options.innerPorts);
  return startOnFreePorts(
    async (): Promise<InnerPorts> => [await freePort(0), await freePort(0)],
    (...innerPorts) => startAt(options, innerPorts),
  );
}

async function startAt(options: TemporalServerOptions, innerPorts: InnerPorts): Promise<TemporalServer> {
  const { command, dataDir, port, namespace } = options;
  const address = `127.0.0.1:${port}`;
  const program = await runProgram({
    name: 'temporal',
    command,
    args: serverArguments(options, innerPorts),
    // A smaller heap at the cost of more garbage collection. Below the size of the live heap,
    // GOMEMLIMIT would cause constant collection.
    env: { ...foreignEnvironment(), GOGC: '50' },
    cwd: join(dataDir, 'temporal'),
    dataDir,
    stopSeconds: 4,
  });
  try {
    await waitUntilReady(program, address, namespace);
  } catch (error) {
    await program.kill();
    throw error;
  }
  return { ...program, port, address, innerPorts };
}

/** The default of 20 polls per second adds up to 50 ms to every workflow step. */
const TUNED = [
  ...[
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    'history.visibilityProcessorMaxPollRPS=200',
  ].flatMap((value) => ['--dynamic-config-value', value]),
  ...['journal_mode=wal', 'synchronous=normal'].flatMap((value) => ['--sqlite-pragma', value]),
];

const COMMAND_LINE_TYPE = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' };

function serverArguments({ port, namespace, inMemory, dataDir }: TemporalServerOptions, [http, metrics]: InnerPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
    ...['--http-port', String(http), '--metrics-port', String(metrics)],
    ...['--headless', '--dynamic-config-value', closedHttp()],
    ...(inMemory ? [] : ['--db-filename', join(dataDir, 'temporal', 'temporal.db')]),
    ...['--log-level', 'error', '--color', 'never'],
    ...TUNED,
    ...Object.entries(SEARCH_ATTRIBUTE_TYPES).flatMap(([name, type]) => ['--search-attribute', `${name}=${COMMAND_LINE_TYPE[type]}`]),
  ];
}

/**
 * The setting that closes Temporal's HTTP API, which by default answers under any `Host`: only a
 * random `Host` is allowed.
 */
export function closedHttp(): string {
  return `frontend.httpAllowedHosts=${JSON.stringify([`${randomBytes(16).toString('hex')}.invalid`])}`;
}

async function waitUntilReady(program: Program, address: string, namespace: string): Promise<void> {
  await waitForTemporal(address, namespace, endOrTimeout(program, 60_000)).catch(() => {
    throw new SetupError(`The Temporal server did not start: ${program.lastWords()}. Its log is ${program.logFile}.`);
  });
}
