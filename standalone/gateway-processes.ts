import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { type Program, runProgram } from './run-program.ts';

type Environment = Record<string, string | undefined>;

const ROOT = dirname(import.meta.dirname);

/** A small young generation: these processes mostly wait, and share one machine. */
const NODE_FLAGS = { api: ['--max-semi-space-size=4'], worker: ['--max-semi-space-size=2'] };

/** Starts the API or the worker as a process of its own. */
export function startProcess(name: 'api' | 'worker', dataDir: string, env: Environment): Promise<Program> {
  return runSource(name, [...NODE_FLAGS[name], join(ROOT, name, 'main.ts')], dataDir, env);
}

/** Runs the migrations to their end; a SetupError says what went wrong. */
export async function runMigrations(dataDir: string, env: Environment): Promise<void> {
  const program = await runSource('migrations', [join(ROOT, 'migrations', 'main.ts')], dataDir, env);
  const { code } = await program.exited;
  if (code !== 0) throw new SetupError(`The database could not be brought up to date: ${program.lastWords()}. Log: ${program.logFile}`);
}

/** Bundles the workflows into a file of the data folder, for any number of workers (WORKFLOW_BUNDLE); answers its path. */
export async function bundleWorkflows(dataDir: string): Promise<string> {
  const file = join(dataDir, 'workflows.js');
  const program = await runSource('bundle', [join(ROOT, 'worker', 'bundle-workflows.ts'), file], dataDir, foreignEnvironment());
  const { code } = await program.exited;
  if (code !== 0) throw new SetupError(`The workflows could not be bundled: ${program.lastWords()}. Log: ${program.logFile}`);
  return file;
}

/** Where to reach an API that listens on that host: any address of this machine if it listens on all of them. */
export function apiUrlOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}

/** Resolves when GET /ready answers 200; a SetupError after a minute says what it answers instead. */
export async function waitUntilReady(apiUrl: string, seconds = 60): Promise<void> {
  let last = 'nothing answers';
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await delay(50)) {
    try {
      const answer = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(5_000) });
      const body = await answer.text();
      if (answer.ok) return;
      last = `it answers ${answer.status} ${body.slice(0, 300)}`;
    } catch {
      // not listening yet
    }
  }
  throw new SetupError(`The API at ${apiUrl} did not become ready within ${seconds} s: ${last}. See the logs in the data folder.`);
}

/** What Node has compiled is kept beside the packages: every further start is faster, and needs no compiler in memory. */
export const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'node');

function runSource(name: string, args: string[], dataDir: string, env: Environment): Promise<Program> {
  const lean = { NODE_COMPILE_CACHE: COMPILE_CACHE, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }; // native threads share arenas: some 10 MB a process
  return runProgram({ name, command: process.execPath, args, env: { ...env, ...lean }, cwd: ROOT, dataDir });
}
