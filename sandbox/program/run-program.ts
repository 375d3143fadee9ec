import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import type { CageCommand } from '../cage/cage.ts';
import { coverInherited } from '../host/cover-inherited.ts';
import { watchMemory } from '../host/watch-memory.ts';
import { packFiles, unpackFiles } from './archive.ts';
import { cappedOutput } from './capped-output.ts';
import type { ProgramFailure, ProgramRequest, ProgramResult } from './program.ts';

type Stdio = [null, Readable, Readable, Writable, Readable, Writable];
type End = { kind: 'exited' } | { kind: 'failed'; code: ProgramFailure };

const MEGABYTE = 1024 * 1024;
const OVER = Buffer.from('over\n');
/** Limit of the output on the control pipe: the line with the exit code, then the archive. */
const CONTROL_MAX_BYTES = SANDBOX_PROGRAM.folderMb * MEGABYTE;
/** Background processes in a bare cage may keep the output open. */
const OUTPUT_GRACE_MS = 500;

/**
 * Runs one program in its cage, then kills its process group (docs/decisions/0012). Rejects if no
 * process can be started.
 */
export async function runProgram(cage: CageCommand, request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult> {
  const startedAt = performance.now();
  const child = start(cage);
  const { pipes } = child;
  const ended = Promise.withResolvers<End>();
  const fail = (code: ProgramFailure) => ended.resolve({ kind: 'failed', code });
  const exit = () => ended.resolve({ kind: 'exited' });
  const stdout = cappedOutput(pipes.stdout, SANDBOX_PROGRAM.outputMaxBytes);
  const stderr = cappedOutput(pipes.stderr, SANDBOX_PROGRAM.outputMaxBytes);
  const control = readControl(pipes.control, {
    onTooMuch: () => fail('CODE_FILES_TOO_LARGE'),
    onOver: () => setTimeout(exit, OUTPUT_GRACE_MS),
  });
  void child.closed.then(exit);
  const unwatch = watch(child.pid, request.timeMs, signal, fail);
  pipes.archive.end(packFiles(filesOf(request), request.folders?.map(inWorkspace)));

  const end = await ended.promise;
  unwatch();
  await child.end();
  const output = {
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.isCut() || stderr.isCut(),
    durationMs: Math.round(performance.now() - startedAt),
  };
  return { ...output, ...(end.kind === 'failed' ? { ...end, message: describeFailure(end.code, request) } : readEnd(control(), request)) };
}

function start({ command, args, ...options }: CageCommand) {
  const stdio = ['ignore' as const, ...Array<'pipe'>(5).fill('pipe'), ...coverInherited(6)];
  const child = spawn(command, args, { ...options, cwd: '/', stdio, detached: true });
  const closed = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
  if (child.pid === undefined) throw new Error(`${command} cannot be started`);
  const [, stdout, stderr, archive, control, tether] = child.stdio as unknown as Stdio;
  for (const pipe of [archive, tether]) pipe.on('error', () => {});
  return {
    pid: child.pid,
    pipes: { stdout, stderr, archive, control },
    closed,
    async end() {
      killGroup(child.pid!);
      for (const pipe of [stdout, stderr, control, tether]) pipe.destroy();
      await closed;
    },
  };
}

function watch(pid: number, timeMs: number, signal: AbortSignal, fail: (code: ProgramFailure) => void): () => void {
  const cancel = () => fail('CODE_CANCELED');
  const deadline = setTimeout(fail, timeMs, 'CODE_TIMEOUT');
  const memory = watchMemory(pid, SANDBOX_PROGRAM.memoryMb * MEGABYTE, () => fail('CODE_MEMORY'));
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  return () => {
    clearTimeout(deadline);
    memory.stop();
    signal.removeEventListener('abort', cancel);
  };
}

/** The message of a result without an exit code. */
export function describeFailure(code: ProgramFailure, { timeMs, language }: Pick<ProgramRequest, 'timeMs' | 'language'>): string {
  const name = language === 'python' ? 'Python' : 'shell';
  switch (code) {
    case 'CODE_TIMEOUT':
      return `The program ran longer than ${timeMs / 1000} seconds and was ended`;
    case 'CODE_MEMORY':
      return 'The program and the processes that it started used more memory than their limit, and were ended';
    case 'CODE_CANCELED':
      return 'The run was canceled';
    case 'CODE_FILES_TOO_LARGE':
      return 'The program left more in its workspace folder than can be read back';
    case 'CODE_INTERPRETER_MISSING':
      return language === 'python' ? 'python3 is not installed on this machine' : 'No shell is installed on this machine';
    case 'CODE_UNAVAILABLE':
      return `${name} programs cannot be run on this machine`;
    case 'CODE_CRASHED':
      return 'The sandbox process crashed';
  }
}

function filesOf({ files, code }: ProgramRequest) {
  const program = { path: 'program/main', content: Buffer.from(code), isExecutable: false };
  return [program, ...files.map((file) => ({ ...file, path: inWorkspace(file.path) }))];
}

function inWorkspace(path: string): string {
  return `workspace/${path}`;
}

function readControl(pipe: Readable, { onTooMuch, onOver }: Record<'onTooMuch' | 'onOver', () => void>): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let tail = Buffer.alloc(0);
  pipe.on('error', () => {});
  pipe.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > CONTROL_MAX_BYTES) {
      pipe.destroy();
      return onTooMuch();
    }
    chunks.push(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-OVER.length);
    if (tail.equals(OVER)) onOver();
  });
  return () => Buffer.concat(chunks);
}

function readEnd(control: Buffer, request: ProgramRequest) {
  const lineEnd = control.indexOf('\n');
  const line = control.toString('latin1', 0, Math.max(0, lineEnd));
  const failed = (code: ProgramFailure) => ({ kind: 'failed', code, message: describeFailure(code, request) }) as const;
  if (line === 'missing') return failed('CODE_INTERPRETER_MISSING');
  const exitCode = /^exit (\d{1,3})$/.exec(line)?.[1];
  if (exitCode === undefined) return failed('CODE_CRASHED');
  const unpacked = request.keepsFiles ? unpackFiles(control.subarray(lineEnd + 1)) : { files: [], notKept: [] };
  return unpacked ? ({ kind: 'exited', exitCode: Number(exitCode), ...unpacked } as const) : failed('CODE_CRASHED');
}

/** In a bare cage, background processes may outlive the leader of the group. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}
