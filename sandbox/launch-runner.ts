import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { CODE_RUN } from '../domain/limits.ts';
import { type Confinement, confine } from './confinement.ts';
import { coverInherited } from './cover-inherited.ts';
import { encodeFrame, frameReader } from './frames.ts';
import { type RunnerMessage, readRunnerMessage } from './runner-message.ts';
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
}

interface LaunchOptions {
  program: RunnerProgram;
  confinement: Confinement;
  memoryMb: number;
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

let serial = 0;

/** Start a runner under a confinement; rejects when it does not come up, with what it said. */
export async function launchRunner({ program, confinement, memoryMb }: LaunchOptions): Promise<Runner> {
  const node = [process.execPath, ...NODE_FLAGS, '--eval', program.source, program.addonPath];
  const { command, args, ...user } = confine(confinement, node, { memoryMb, serial: serial++, isRoot: process.getuid?.() === 0 });
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
  });
  const exited = new Promise<RunnerExit>((resolve) => {
    child.on('error', (error) => resolve({ signal: null, stderr: error.message }));
    child.on('close', (_code, signal) => resolve({ signal, stderr }));
  });
  let listener: (message: RunnerMessage | undefined) => void = () => {};
  const hear = (message: RunnerMessage | undefined) => listener(message);
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
    send: (message) => void child.stdin.write(encodeFrame(message)),
    onMessage: (next) => {
      listener = next;
    },
    exited,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => void child.kill('SIGKILL'),
  };
  runner.send({ kind: 'boot', memoryMb, modules: program.modules });
  await untilReady(runner);
  return runner;
}

async function untilReady(runner: Runner): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const deadline = setTimeout(() => ready.reject(new Error('not ready in time')), START_DEADLINE_MS);
  runner.onMessage((message) => (message?.kind === 'ready' ? ready.resolve() : ready.reject(new Error('not a runner'))));
  void runner.exited.then(({ stderr, signal }) => ready.reject(new Error(`ended before it was ready (${signal ?? 'exit'}): ${stderr}`)));
  try {
    await ready.promise;
  } catch (error) {
    runner.kill();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

/** The limits that the isolate keeps by itself; the parent keeps them again. */
export const ISOLATE_LIMITS = {
  maxCalls: CODE_RUN.maxCalls,
  maxTimers: CODE_RUN.maxTimers,
  inputMaxBytes: CODE_RUN.inputMaxBytes,
  outputMaxBytes: CODE_RUN.outputMaxBytes,
  logMaxLines: CODE_RUN.logMaxLines,
  logMaxBytes: CODE_RUN.logMaxBytes,
};
