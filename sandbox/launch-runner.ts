import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CODE_RUN } from '../domain/limits.ts';
import { memoryOfRunner } from '../domain/pass-turns.ts';
import { type Confinement, confine } from './confinement.ts';
import { coverInherited } from './cover-inherited.ts';
import { encodeFrame, frameReader } from './frames.ts';
import { runnerFiles } from './runner-files.ts';
import { type RunnerMessage, readRunnerMessage } from './runner-message.ts';
import { killRunner, yieldToOthers } from './runner-process.ts';
import type { RunnerProgram } from './runner-program.ts';

/** A started process with an isolate in it, waiting for code. */
export interface Runner {
  pid: number;
  memoryMb: number;
  send(message: object): void;
  /** Who hears the runner from now on. Undefined is a frame that no honest runner sends. */
  onMessage(listener: (message: RunnerMessage | undefined) => void): void;
  /** Resolves when the process is gone; never rejects. */
  exited: Promise<RunnerExit>;
  isGone(): boolean;
  kill(): void;
}

export interface RunnerExit {
  signal: NodeJS.Signals | null;
  /** What the process said on stderr, cut; for operators, never for callers. */
  stderr: string;
  /** It said before that it had nearly all the memory that the kernel gives it: native code that is refused more often just crashes. */
  wasNearlyFull: boolean;
}

interface LaunchOptions {
  program: RunnerProgram;
  confinement: Confinement;
  memoryMb: number;
}

/** Thrown when a runner did not come up for a reason that says nothing of its confinement: somebody killed it, or the machine was too slow. */
export class RunnerInterruptedError extends Error {
  override name = 'RunnerInterruptedError';
}

const START_DEADLINE_MS = 10_000;
const STDERR_MAX_LENGTH = 4000;
/** Of the kernel's limit: between two looks of the runner at itself, native code takes less. */
const FULL_WITHIN_MB = 64;
const NODE_FLAGS = [
  '--jitless',
  '--no-node-snapshot',
  '--permission',
  '--allow-addons',
  '--no-warnings',

  '--input-type=module',
];

let serial = 0;

/** Start a runner under a confinement; rejects when it does not come up, with what it said, or with RunnerInterruptedError. */
export async function launchRunner({ program, confinement, memoryMb }: LaunchOptions): Promise<Runner> {
  const node = [process.execPath, ...NODE_FLAGS, '--eval', program.source, program.addonPath];
  const files = confinement.hasOwnRoot ? await runnerFiles(program.addonPath) : undefined;
  const isRoot = process.getuid?.() === 0;
  const { command, args, ...user } = confine(confinement, node, { memoryMb, serial: serial++, isRoot, files });
  const stdio = ['pipe' as const, 'pipe' as const, 'pipe' as const, ...coverInherited(3)];
  // Detached: a terminal's Ctrl+C is for us; we end our runners ourselves.
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
    // Reading on would keep this process busy for as long as the other likes.
    if (stderr.length === STDERR_MAX_LENGTH) child.stderr.destroy();
  });
  let wasNearlyFull = false;
  const exited = new Promise<RunnerExit>((resolve) => {
    child.on('error', (error) => resolve({ signal: null, stderr: error.message, wasNearlyFull }));
    child.on('close', (code, signal) => resolve({ signal: signal ?? signalTold(code, stderr), stderr, wasNearlyFull }));
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
  // A write to a runner that is gone; `exited` tells.
  child.stdin.on('error', () => {});

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
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => killRunner(child, confinement.hasOwnRoot),
  };
  runner.send({ kind: 'boot', memoryMb, nearlyFullMb: memoryOfRunner(memoryMb) - FULL_WITHIN_MB, modules: program.modules });
  await untilReady(runner);
  return runner;
}

/** A shell tells the SIGKILL of its child by its own exit code. */
const CHILD_WAS_KILLED = 128 + constants.signals.SIGKILL;

/** What makes the namespaces ends as its child did, but cannot end by SIGKILL: it complains of that. */
function signalTold(code: number | null, stderr: string): NodeJS.Signals | null {
  return code === CHILD_WAS_KILLED || /^unshare: sigprocmask/m.test(stderr) ? 'SIGKILL' : null;
}

async function untilReady(runner: Runner): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const deadline = setTimeout(() => ready.reject(new RunnerInterruptedError('not ready in time')), START_DEADLINE_MS);
  runner.onMessage((message) => (message?.kind === 'ready' ? ready.resolve() : ready.reject(new Error('not a runner'))));
  void runner.exited.then((exit) => ready.reject(endedEarly(exit)));
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

/** What the engine or the system says on stderr when a process finds no more memory. */
export const OUT_OF_MEMORY = /out of memory|last few gcs|allocation failed|cannot allocate|check failed: allocation|bad_alloc/i;

/** The limits that the isolate keeps by itself; the parent keeps them again. */
export const ISOLATE_LIMITS = {
  maxCalls: CODE_RUN.maxCalls,
  maxTimers: CODE_RUN.maxTimers,
  inputMaxBytes: CODE_RUN.inputMaxBytes,
  outputMaxBytes: CODE_RUN.outputMaxBytes,
  logMaxLines: CODE_RUN.logMaxLines,
  logMaxBytes: CODE_RUN.logMaxBytes,
};
