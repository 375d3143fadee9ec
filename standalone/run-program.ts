import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLogLine } from './last-log-line.ts';
import { forgetProcess, recordProcess } from './process-record.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A running program: `exited` settles when it ends by itself or by `stop`, which asks first and kills after `stopSeconds`. */
export type Program = {
  name: string;
  pid: number;
  logFile: string;
  /** The last line that this run of it logged. */
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
 * Starts a program that cannot outlive this process: its output goes to DATA_DIR/logs/<name>.log, and it is stopped
 * even when this process is killed. Rejects when the program cannot be started at all.
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
    const patience = new AbortController();
    await Promise.race([exited, delay(graceSeconds * 1000, undefined, { signal: patience.signal }).then(() => child.kill('SIGKILL'))]);
    patience.abort();
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

async function spawnLogged({ command, args, env, cwd, user, dataDir }: ProgramOptions, logFile: string): Promise<ChildProcess> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  try {
    // A group of its own: Ctrl-C in the terminal reaches only us, and we stop the parts in the right order.
    const child = spawn(command, args, { env: env as NodeJS.ProcessEnv, cwd, ...user, stdio: ['ignore', log, log], detached: true });
    await once(child, 'spawn');
    return child;
  } finally {
    closeSync(log);
  }
}

/** A log that has grown large makes room for a new one, and is kept until the next time; answers where the new run begins. */
function makeRoom(logFile: string, largeBytes = 10_000_000): number {
  const { size } = statSync(logFile, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size < largeBytes) return size;
  renameSync(logFile, `${logFile}.old`);
  return 0;
}

/** The shell's `read` fails when our end of the pipe closes without a word, which happens exactly when we die. */
const TETHER = `read -r over && exit
kill -s "$1" "$2"
for second in $(seq "$3"); do kill -0 "$2" 2>/dev/null || exit; sleep 1; done
kill -s KILL "$2"`;

/** Stops a process when this one dies, however it dies. Answers a function that lets go of it. */
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
