import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLogLine } from './last-log-line.ts';
import { forgetProcess, recordProcess } from './process-record.ts';

type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A running program. `stop` kills the program if it still runs after `stopSeconds`. */
export type Program = {
  name: string;
  pid: number;
  logFile: string;
  /** The last log line of this run. */
  lastWords: () => string;
  exited: Promise<Exit>;
  stop: () => Promise<void>;
  kill: () => Promise<void>;
};

export type ProgramOptions = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
  dataDir: string;
  cwd?: string;
  user?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
  stopSeconds?: number;
};

/**
 * Starts a program that ends with this process, even if this process is killed (except on Windows).
 * Its output goes to DATA_DIR/logs/<name>.log.
 */
export async function runProgram(options: ProgramOptions): Promise<Program> {
  const { name, dataDir, stopSignal = 'SIGTERM', stopSeconds = 5 } = options;
  const logFile = join(dataDir, 'logs', `${name}.log`);
  const logStart = makeRoom(logFile);
  const child = await spawnLogged(options, logFile);
  const pid = child.pid!;
  recordProcess(dataDir, name, pid, stopSignal);
  const release = tether(pid, stopSignal, stopSeconds);
  const exited = once(child, 'exit').then(([code, signal]): Exit => {
    release();
    forgetProcess(dataDir, name);
    return { code, signal };
  });
  const end = async (signal: NodeJS.Signals, graceSeconds: number) => {
    child.kill(signal);
    const timeout = new AbortController();
    await Promise.race([exited, delay(graceSeconds * 1000, undefined, { signal: timeout.signal }).then(() => child.kill('SIGKILL'))]);
    timeout.abort();
    await exited;
  };
  return {
    name,
    pid,
    logFile,
    lastWords: () => lastLogLine(logFile, logStart),
    exited,
    stop: () => end(stopSignal, stopSeconds),
    kill: () => end('SIGKILL', stopSeconds),
  };
}

/** A signal that is aborted when the program ends, or after `timeoutMs`. */
export function endOrTimeout({ exited }: Pick<Program, 'exited'>, timeoutMs: number): AbortSignal {
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  return AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]);
}

async function spawnLogged({ command, args, env, cwd, user, dataDir }: ProgramOptions, logFile: string): Promise<ChildProcess> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  try {
    // Detached: Ctrl-C must reach only this process, which stops its programs in order.
    const child = spawn(command, args, { env: env as NodeJS.ProcessEnv, cwd, ...user, stdio: ['ignore', log, log], detached: true });
    await once(child, 'spawn');
    return child;
  } finally {
    closeSync(log);
  }
}

/** Returns the offset at which the log of this run starts. */
function makeRoom(logFile: string, largeBytes = 10_000_000): number {
  const { size } = statSync(logFile, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size < largeBytes) return size;
  renameSync(logFile, `${logFile}.old`);
  return 0;
}

/** `read` fails when this process dies: our end of the pipe then closes without a line. */
const TETHER = `read -r over && exit
kill -s "$1" "$2"
for second in $(seq "$3"); do kill -0 "$2" 2>/dev/null || exit; sleep 1; done
kill -s KILL "$2"`;

/** Stops a program if this process dies. Returns a function to call when the program ends. */
function tether(pid: number, stopSignal: NodeJS.Signals, stopSeconds: number): () => void {
  if (process.platform === 'win32') return () => {};
  const args = ['-c', TETHER, 'tether', stopSignal.replace('SIG', ''), String(pid), String(stopSeconds)];
  const shell = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return () => shell.stdin.end('over\n');
}
