import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cage, cageCommand, userOf } from './cage.ts';
import type { ProgramRequest, ProgramResult } from './program.ts';
import { runProgram, sayFailure } from './run-program.ts';

/** Runs Python and shell programs of callers, each held apart from this machine (docs/decisions/0012). */
export interface Programs {
  /** Never rejects: whatever becomes of the program is a result. */
  run(request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult>;
  /** How programs are held on this machine; null: they are refused. */
  cage(): Promise<Cage | null>;
  /** Ends the running programs and refuses others. */
  close(): Promise<void>;
}

interface ProgramsOptions {
  logger: Record<'warn' | 'error', (fields: object, message: string) => void>;
  /** Run programs also where this machine cannot confine them. */
  allowsBare: boolean;
  /** Folders of the service that no program may see. */
  hidden: readonly string[];
  /** For tests: the ways to try, tightest first. */
  cages?: readonly Cage[];
}

/** Finds out how programs can be held here, which takes a tenth of a second, and clears away what a killed process left. */
export function openPrograms({ logger, allowsBare, hidden, cages = ['namespaces', 'bare'] }: ProgramsOptions): Programs {
  const isRoot = process.getuid?.() === 0;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const hiddenHere = Promise.all(hidden.map((folder) => realpath(folder).catch(() => folder)));
  let serial = 0;

  const runIn = async (cage: Cage, request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult> => {
    const number = serial++;
    const user = isRoot ? userOf(number) : undefined;
    const folder = cage === 'bare' ? await makeFolder(user) : '';
    const { language, keepsFiles, timeMs } = request;
    const options = { isRoot, serial: number, hidden: await hiddenHere, folder, language, keepsFiles, timeMs };
    try {
      return await runProgram(cageCommand(cage, options), request, signal);
    } finally {
      if (cage === 'bare') await clearAway(folder, user);
    }
  };

  const choose = async (): Promise<Cage | null> => {
    await sweepFolders();
    for (const cage of cages) {
      if (process.platform === 'win32' || (cage === 'bare' && !allowsBare)) continue;
      const result = await runIn(cage, PROBE, closing.signal).catch(() => unavailable(PROBE, 'no process'));
      const works = result.kind === 'exited' && result.exitCode === 0;
      if (works && cage === 'bare') logger.warn({ cage }, `Python and shell programs of callers run ${UNCONFINED}`);
      if (works) return cage;
      logger.warn({ cage, said: result.stderr.slice(0, 1000) }, 'programs cannot be held in this way here');
    }
    return null;
  };
  const cage = choose();

  const run = async (request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult> => {
    const chosen = await cage;
    if (!chosen || closing.signal.aborted) return unavailable(request, 'it has no way to confine them');
    try {
      return await runIn(chosen, request, AbortSignal.any([signal, closing.signal]));
    } catch (error) {
      logger.error({ err: error }, 'a program could not be started');
      return unavailable(request, 'it could not be started');
    }
  };

  return {
    run(request, signal) {
      const result = run(request, signal);
      running.add(result);
      return result.finally(() => running.delete(result));
    },
    cage: () => cage,
    async close() {
      closing.abort();
      await Promise.allSettled([cage, ...running]);
    },
  };
}

const UNCONFINED = 'unconfined: with the network of this machine, and with every file that their user may read';
const PROBE: ProgramRequest = { language: 'shell', code: 'true & wait', files: [], keepsFiles: true, timeMs: 10_000 };
const FOLDER = /^gateway-program-(\d+)-/;

function unavailable(request: ProgramRequest, reason: string): ProgramResult {
  const message = `${sayFailure('CODE_UNAVAILABLE', request)}: ${reason}. JavaScript can be`;
  return { kind: 'failed', code: 'CODE_UNAVAILABLE', message, stdout: '', stderr: '', truncated: false, durationMs: 0 };
}

async function makeFolder(user: number | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `gateway-program-${process.pid}-`));
  for (const path of [folder, ...['workspace', 'program', 'tmp'].map((name) => join(folder, name))]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (user !== undefined) await chown(path, user, user);
  }
  return folder;
}

async function clearAway(folder: string, user: number | undefined): Promise<void> {
  if (user !== undefined) await endProcessesOf(user);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
}

/** Whatever a program of that user left its process group with. */
async function endProcessesOf(user: number): Promise<void> {
  const killer = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { uid: user, gid: user, stdio: 'ignore', env: {} });
  await once(killer, 'close').catch(() => {});
}

async function sweepFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = Number(FOLDER.exec(name)?.[1]);
    const path = join(tmpdir(), name);
    if (!(pid > 0) || isAlive(pid)) continue;
    const found = await lstat(path).catch(() => undefined); // another process may be clearing away, too
    if (found?.isDirectory()) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
