import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CODE_RUN } from '../../domain/limits.ts';
import { confinedParts } from './confined-parts.ts';
import { type Confinement, confine } from './confinement.ts';
import { coverInherited } from './cover-inherited.ts';
import { encodeFrame, frameReader } from './frames.ts';
import { type ProcessUse, readProcessUse } from './process-use.ts';
import { growthLimits } from './runner-memory.ts';
import { type RunnerMessage, readRunnerMessage } from './runner-message.ts';
import { innermostProcess, killRunner, yieldToOthers } from './runner-process.ts';
import type { RunnerProgram } from './runner-program.ts';

/** A started process. Its isolate waits for code. */
export interface Runner {
  pid: number;
  memoryMb: number;
  send(message: object): void;
  /** Replaces the listener, which gets undefined for a frame that no intact runner sends. */
  onMessage(listener: (message: RunnerMessage | undefined) => void): void;
  /** Resolves when the process is gone; never rejects. */
  exited: Promise<RunnerExit>;
  /** Replaces the listener. Calls it immediately if the process is gone. */
  onExit(listener: (exit: RunnerExit) => void): void;
  isGone(): boolean;
  /** False if stderr got output after the start, or if the memory was ever nearly full. */
  isSound(): boolean;
  /** The memory and processor time; undefined if they cannot be read. */
  use(): ProcessUse | undefined;
  kill(): void;
}

export interface RunnerExit {
  /** Null if the runner exited by itself, or if its wrapper did not report the signal. */
  signal: NodeJS.Signals | null;
  /** The first part of stderr. For operators, never for callers. */
  stderr: string;
  /**
   * Whether the runner reported nearly full memory. A crash then probably means that the kernel
   * refused more memory.
   */
  wasNearlyFull: boolean;
}

interface LaunchOptions {
  program: RunnerProgram;
  confinement: Confinement;
  memoryMb: number;
}

/** A runner was killed before it was ready, or was too slow. Its confinement is not the cause. */
export class RunnerInterruptedError extends Error {
  override name = 'RunnerInterruptedError';
}

const START_DEADLINE_MS = 10_000;
const STDERR_MAX_LENGTH = 4000;
const NODE_FLAGS = [
  '--jitless',
  '--no-node-snapshot',
  '--permission',
  '--allow-addons',
  '--no-warnings',

  '--input-type=module',
];

/**
 * Starts a runner under a confinement. Rejects with RunnerInterruptedError if the runner was killed
 * or too slow.
 */
export async function launchRunner({ program, confinement, memoryMb }: LaunchOptions): Promise<Runner> {
  const node = [process.execPath, ...NODE_FLAGS, '--eval', program.source, program.addonPath];
  const parts = await confinedParts(confinement, program.addonPath);
  const { command, args, ...user } = confine(confinement, node, { memoryMb, ...parts });
  const stdio = ['pipe' as const, 'pipe' as const, 'pipe' as const, ...coverInherited(3)];
  // Detached, so that Ctrl+C in a terminal reaches only this process. This process then ends its
  // runners.
  const child = spawn(command, args, {
    ...user,
    cwd: '/',
    env: {},
    stdio,
    detached: true,
    windowsHide: true,
  }) as ChildProcessWithoutNullStreams;

  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('latin1')).slice(0, STDERR_MAX_LENGTH);
    // Stops reading: a runner that writes without end would keep this process busy.
    if (stderr.length === STDERR_MAX_LENGTH) child.stderr.destroy();
  });
  let wasNearlyFull = false;
  const exited = new Promise<RunnerExit>((resolve) => {
    child.on('error', (error) => resolve({ signal: null, stderr: error.message, wasNearlyFull }));
    child.on('close', (code, signal) => resolve({ signal: signal ?? signalTold(code, stderr), stderr, wasNearlyFull }));
  });
  let end: RunnerExit | undefined;
  let exitListener: (exit: RunnerExit) => void = () => {};
  void exited.then((exit) => {
    end = exit;
    exitListener(exit);
  });
  let listener: (message: RunnerMessage | undefined) => void = () => {};
  const hear = (message: RunnerMessage | undefined) => {
    if (message?.kind !== 'nearly-full' || wasNearlyFull) return listener(message);
    wasNearlyFull = true;
  };
  child.stdout.on(
    'data',
    frameReader(
      (text) => hear(readRunnerMessage(text)),
      () => hear(undefined),
    ),
  );
  // Ignores a write to a runner that is gone: `exited` reports the exit.
  child.stdin.on('error', () => {});

  let ownPid: number | undefined;
  let stderrAtStart = 0;
  const runner: Runner = {
    pid: child.pid ?? 0,
    memoryMb,
    send(message) {
      if ('kind' in message && message.kind === 'start') yieldToOthers(child.pid);
      child.stdin.write(encodeFrame(message));
    },
    onMessage: (next) => {
      listener = next;
    },
    exited,
    onExit(next) {
      exitListener = next;
      if (end) next(end);
    },
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    isSound: () => !wasNearlyFull && stderr.length === stderrAtStart,
    use: () => (ownPid === undefined ? undefined : readProcessUse(ownPid)),
    kill: () => killRunner(child, confinement.hasOwnRoot),
  };
  runner.send({ kind: 'boot', memoryMb, ...growthLimits(memoryMb), bootstrap: program.bootstrap });
  await untilReady(runner);
  ownPid = await pidOfRunner(runner.pid, confinement);
  stderrAtStart = stderr.length;
  return runner;
}

async function pidOfRunner(pid: number, { hasOwnRoot }: Confinement): Promise<number | undefined> {
  const innermost = await innermostProcess(pid);
  return hasOwnRoot && innermost === pid ? undefined : innermost;
}

const CHILD_WAS_KILLED = 128 + constants.signals.SIGKILL;

/**
 * Returns the signal that a wrapper reports. `unshare` tries to end by the signal of its child. For
 * SIGKILL it fails, and reports the failure on stderr.
 */
function signalTold(code: number | null, stderr: string): NodeJS.Signals | null {
  return code === CHILD_WAS_KILLED || /^unshare: sigprocmask/m.test(stderr) ? 'SIGKILL' : null;
}

/**
 * Resolves when the runner waits for code. Otherwise kills the runner and rejects. `onMore` is
 * called for each further message.
 */
export async function untilReady(runner: Pick<Runner, 'onMessage' | 'onExit' | 'kill'>, onMore = () => {}): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const deadline = setTimeout(() => ready.reject(new RunnerInterruptedError('not ready in time')), START_DEADLINE_MS);
  runner.onMessage((message) => {
    if (message?.kind !== 'ready') return ready.reject(new Error('not a runner'));
    runner.onMessage(onMore);
    ready.resolve();
  });
  runner.onExit((exit) => ready.reject(endedEarly(exit)));
  try {
    await ready.promise;
  } catch (error) {
    runner.kill();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

function endedEarly({ signal, stderr }: RunnerExit): Error {
  const ended = `ended before it was ready (${signal ?? 'exit'}): ${stderr}`;
  return signal === 'SIGKILL' && !OUT_OF_MEMORY.test(stderr) ? new RunnerInterruptedError(ended) : new Error(ended);
}

/** What the engine or the system writes to stderr when a process is out of memory. */
export const OUT_OF_MEMORY = /out of memory|last few gcs|allocation failed|cannot allocate|check failed: allocation|bad_alloc/i;

/** Limits that both the isolate and this process enforce. */
export const ISOLATE_LIMITS = {
  maxCalls: CODE_RUN.maxCalls,
  maxTimers: CODE_RUN.maxTimers,
  inputMaxBytes: CODE_RUN.inputMaxBytes,
  outputMaxBytes: CODE_RUN.outputMaxBytes,
  logMaxLines: CODE_RUN.logMaxLines,
  logMaxBytes: CODE_RUN.logMaxBytes,
};
