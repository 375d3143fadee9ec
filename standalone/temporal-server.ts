import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTE_TYPES } from '../domain/search-attributes.ts';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { type Program, runProgram } from './run-program.ts';

export type TemporalServer = Program & {
  address: string;
  port: number;
  uiPort: number | undefined;
  uiUrl: string | undefined;
  innerPorts: InnerPorts;
};

/** Of HTTP and of metrics. */
export type InnerPorts = [http: number, metrics: number];

export type TemporalServerOptions = {
  /** Path of the `temporal` program (see findProgram). */
  command: string;
  dataDir: string;
  port: number;
  /** Without one there is no UI. */
  uiPort?: number;
  /** Default: any free ones. */
  innerPorts?: InnerPorts;
  namespace: string;
  /** True forgets everything when it stops: for tests. */
  inMemory?: boolean;
};

/** Starts the Temporal dev server on 127.0.0.1, its state in a file under DATA_DIR/temporal, and waits until its namespace answers. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  mkdirSync(join(options.dataDir, 'temporal'), { recursive: true, mode: 0o700 });
  if (options.innerPorts) return startAt(options, options.innerPorts);
  return startOnFreePorts(
    async (): Promise<InnerPorts> => [await freePort(0), await freePort(0)],
    (...innerPorts) => startAt(options, innerPorts),
  );
}

async function startAt(options: TemporalServerOptions, innerPorts: InnerPorts): Promise<TemporalServer> {
  const { command, dataDir, port, uiPort, namespace } = options;
  const program = await runProgram({
    name: 'temporal',
    command,
    args: serverArguments(options, innerPorts),
    // A smaller heap for a little more collecting. A limit on it (GOMEMLIMIT) below what is live would collect without end.
    env: { ...foreignEnvironment(), GOGC: '50' },
    cwd: join(dataDir, 'temporal'),
    dataDir,
    stopSeconds: 4,
  });
  try {
    await waitUntilReady(program, `http://127.0.0.1:${innerPorts[0]}/api/v1/namespaces/${namespace}`);
  } catch (error) {
    await program.kill();
    throw error;
  }
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`;
  return { ...program, port, address: `127.0.0.1:${port}`, uiPort, uiUrl, innerPorts };
}

/** By default the dev server polls its queues 20 times a second, which rounds every workflow step up to 50 ms. */
const TUNED = [
  ...[
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    'history.visibilityProcessorMaxPollRPS=200',
  ].flatMap((value) => ['--dynamic-config-value', value]),
  ...['journal_mode=wal', 'synchronous=normal'].flatMap((value) => ['--sqlite-pragma', value]),
];

/** What the server's command line calls the types of search attributes. */
const COMMAND_LINE_TYPE = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' };

function serverArguments({ port, uiPort, namespace, inMemory, dataDir }: TemporalServerOptions, [http, metrics]: InnerPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
    ...['--http-port', String(http), '--metrics-port', String(metrics)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(inMemory ? [] : ['--db-filename', join(dataDir, 'temporal', 'temporal.db')]),
    ...['--log-level', 'error', '--color', 'never'],
    ...TUNED,
    ...Object.entries(SEARCH_ATTRIBUTE_TYPES).flatMap(([name, type]) => ['--search-attribute', `${name}=${COMMAND_LINE_TYPE[type]}`]),
  ];
}

async function waitUntilReady(program: Program, url: string): Promise<void> {
  let ended = false;
  program.exited.then(() => {
    ended = true;
  });
  for (const end = Date.now() + 60_000; !ended && Date.now() < end; await delay(25)) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
  }
  throw new SetupError(`The Temporal server did not start: ${program.lastWords()}. Its log is ${program.logFile}.`);
}
