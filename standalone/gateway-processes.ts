import { dirname, join } from 'node:path';
import { retry } from '../infra/concurrency/retry.ts';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { type Program, runProgram } from './run-program.ts';

type Environment = Record<string, string | undefined>;

const ROOT = dirname(import.meta.dirname);

/**
 * Each half of V8's young generation, in MB. In the API, the young generation grows only under
 * load, so the higher limit costs no memory at rest.
 */
const NODE_FLAGS = { api: ['--max-semi-space-size=16'], worker: ['--max-semi-space-size=2'] };

/** Starts the API or the worker as a separate process. */
export function startProcess(name: 'api' | 'worker', dataDir: string, env: Environment): Promise<Program> {
  return runSource(name, [...NODE_FLAGS[name], join(ROOT, name, 'main.ts')], dataDir, env);
}

/** Runs all migrations. Throws SetupError. */
export async function runMigrations(dataDir: string, env: Environment): Promise<void> {
  const program = await runSource('migrations', [join(ROOT, 'migrations', 'main.ts')], dataDir, env);
  const { code } = await program.exited;
  if (code !== 0) throw new SetupError(`The database could not be brought up to date: ${program.lastWords()}. Log: ${program.logFile}`);
}

/** Bundles the workflows into a file for all workers (WORKFLOW_BUNDLE). */
export async function bundleWorkflows(dataDir: string): Promise<string> {
  const file = join(dataDir, 'workflows.js');
  const program = await runSource('bundle', [join(ROOT, 'worker', 'bundle-workflows.ts'), file], dataDir, foreignEnvironment());
  const { code } = await program.exited;
  if (code !== 0) throw new SetupError(`The workflows could not be bundled: ${program.lastWords()}. Log: ${program.logFile}`);
  return file;
}

/** The URL of an API that listens on `host`; a loopback URL if it listens on all addresses. */
export function apiUrlOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}

/** Resolves when GET /ready answers 200. Throws SetupError after `seconds`. */
export async function waitUntilReady(apiUrl: string, seconds = 60): Promise<void> {
  let last = 'nothing answers';
  const askOnce = async () => {
    const answer = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(5_000) });
    const body = await answer.text();
    last = `it answers ${answer.status} ${body.slice(0, 300)}`;
    if (!answer.ok) throw new Error(last);
  };
  await retry({ until: AbortSignal.timeout(seconds * 1000), backoff: { firstMs: 50 } }, askOnce).catch(() => {
    throw new SetupError(`The API at ${apiUrl} did not become ready within ${seconds} s: ${last}. See the logs in the data folder.`);
  });
}

/** The folder of Node's compile cache. With it, later starts load no TypeScript compiler. */
export const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'node');

function runSource(name: string, args: string[], dataDir: string, env: Environment): Promise<Program> {
  // Fewer malloc arenas save about 10 MB per process.
  const lean = { NODE_COMPILE_CACHE: COMPILE_CACHE, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
  return runProgram({ name, command: process.execPath, args, env: { ...env, ...lean }, cwd: ROOT, dataDir });
}
