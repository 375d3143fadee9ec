import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { foreignEnvironment, readConfig } from '../../infra/config.ts';
import { freePort } from '../../standalone/free-port.ts';
import { commandOf } from '../../standalone/process-record.ts';
import { extent } from '../support/extent.ts';
import { makeTestFolder } from '../support/test-bed.ts';

const ROOT = join(import.meta.dirname, '../..');
const KILLS_IT_ONCE = extent({ whole: true, sample: false });
let folder: string;
let started: ChildProcess | undefined;

beforeAll(() => {
  folder = makeTestFolder('gateway-start-');
  copyTree(folder);
});

afterAll(async () => {
  if (started?.exitCode === null && started.signalCode === null) endGroup(started, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test(`npm start in a clean copy: becomes ready${KILLS_IT_ONCE ? ', keeps all data after a kill' : ''}, refuses calls to its own ports, and ends with Ctrl-C`, async () => {
  const port = await freePort(0);

  const first = await npmStart(port);
  expect(first.apiUrl).toBe(`http://127.0.0.1:${port}`);
  expect(first.dashboard).toBe(`http://127.0.0.1:${port}/app`);
  expect((await fetch(first.temporalUi)).status).toBe(200);
  const key = first.firstKey!;
  const created = await call(first.apiUrl, key, 'POST', '/api/v1/workspaces', { name: 'Kept', slug: 'kept' });
  expect(created.status).toBe(201);
  await setUp(first);

  const running = KILLS_IT_ONCE ? await killAndStartAgain(first, port) : first;
  const listed = await call(running.apiUrl, key, 'GET', '/api/v1/workspaces');
  expect(listed.body.workspaces.map(({ slug }) => slug)).toContain('kept');

  const pids = recordedPids();
  expect(pids.map((pid) => commandOf(pid) !== undefined)).toEqual(Array(5).fill(true)); // supervisor, Postgres, Temporal, API, worker

  const workspaceId = listed.body.workspaces[0]!.id;
  const temporalPorts = pids.flatMap((pid) =>
    [...(commandOf(pid) ?? '').matchAll(/--(?:ui-|http-|metrics-)?port[ =](\d+)/g)].map(([, at]) => at),
  );
  temporalPorts.push(new URL(running.temporalUi).port);
  expect(new Set(temporalPorts).size).toBe(4); // gRPC, HTTP, metrics, and the proxy of the UI
  for (const at of temporalPorts) {
    const input = { method: 'GET', url: `http://127.0.0.1:${at}/` };
    const sent = { integrationName: 'http', actionName: 'send_request', workspaceId, input };
    const refused = await call(running.apiUrl, key, 'POST', '/api/v1/actions/execute', sent);
    expect([at, refused.body.error]).toEqual([at, expect.stringContaining('is a part of this service itself')]);
  }

  endGroup(running.process, 'SIGINT');
  await once(running.process, 'close');
  expect(pids.filter((pid) => commandOf(pid) !== undefined)).toEqual([]);
  expect(running.later()).toEqual(['Stopping', 'Stopped.']);
}, 180_000);

async function killAndStartAgain(first: Started, port: number): Promise<Started> {
  endGroup(first.process, 'SIGKILL');
  await once(first.process, 'exit');
  const second = await npmStart(port);
  expect([second.firstKey, second.setupLink]).toEqual([undefined, undefined]);
  return second;
}

async function setUp({ apiUrl, setupLink }: Started): Promise<void> {
  expect(setupLink).toMatch(new RegExp(`^${apiUrl}/app/setup\\?token=stp_\\w+$`));
  expect((await fetch(setupLink!)).status).toBe(200);
  const { origin, pathname, searchParams } = new URL(setupLink!);
  const owner = { name: 'Ada', email: 'ada@example.com', password: 'a sufficiently long one' };
  const body = new URLSearchParams({ token: searchParams.get('token')!, ...owner });
  const made = await fetch(origin + pathname, { method: 'POST', body, headers: { 'Sec-Fetch-Site': 'same-origin' }, redirect: 'manual' });
  expect(made.status).toBe(303);
}

test('only the owner of the data folder can read its secrets and logs', () => {
  for (const file of ['secrets.json', 'postgres-password', 'logs/api.log', 'logs/worker.log']) {
    expect([file, lstatSync(join(folder, '.gateway', file)).mode & 0o077]).toEqual([file, 0]);
  }
});

type Started = {
  process: ChildProcess;
  apiUrl: string;
  dashboard: string | undefined;
  temporalUi: string;
  firstKey: string | undefined;
  setupLink: string | undefined;
  /** The last two lines that npm start printed after it became ready. */
  later(): string[];
};

/** The settings of the README for a first try. */
const OPEN = { OUTBOUND_ALLOW_HTTP: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };

/** Starts npm in its own process group, as a terminal does. */
async function npmStart(port: number): Promise<Started> {
  const { cacheDir } = readConfig();
  const env = { ...foreignEnvironment(), PORT: String(port), ...OPEN, ...(cacheDir ? { CACHE_DIR: cacheDir } : {}) };
  started = spawn('npm', ['start'], { cwd: folder, env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const complaints: string[] = [];
  started.stderr!.on('data', (chunk) => complaints.push(String(chunk)));
  const lines: string[] = [];
  for await (const line of createInterface({ input: started.stdout! })) {
    lines.push(line);
    if (line.startsWith('Next:')) break;
  }
  let rest = '';
  started.stdout!.on('data', (chunk) => {
    rest += chunk;
  });
  const value = (label: string) => lines.map((line) => line.match(`^  ${label} +(\\S+)`)?.[1]).find(Boolean);
  const [apiUrl, temporalUi] = [value('API'), value('Temporal UI')];
  if (!apiUrl || !temporalUi) throw new Error(`npm start did not become ready: ${lines.join('\n')} ${complaints.join('')}`);
  const found = { apiUrl, temporalUi, dashboard: value('Dashboard'), firstKey: value('First key'), setupLink: value('Set up') };
  return { process: started, ...found, later: () => rest.trim().split('\n').slice(-2) };
}

async function call(apiUrl: string, key: string, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch(`${apiUrl}${path}`, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as { workspaces: { id: string; slug: string }[]; error?: string } };
}

/** The recorded process ids, without that of the short-lived process `temporal-ui-files`. */
function recordedPids(): number[] {
  const run = join(folder, '.gateway', 'run');
  const lasting = readdirSync(run).filter((file) => !file.startsWith('temporal-ui-files'));
  return lasting.map((file) => (JSON.parse(readFileSync(join(run, file), 'utf8')) as { pid: number }).pid);
}

function endGroup(leader: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-leader.pid!, signal);
}

function copyTree(to: string): void {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(to, file));
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(to, 'node_modules'));
}
