import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cage, cageCommand } from '../cage/cage.ts';
import { takeRunUser } from '../host/run-users.ts';
import { launcherFile } from '../launcher/launcher.ts';
import { makeProcessFolder } from '../process-folders.ts';
import type { ProgramRequest, ProgramResult } from './program.ts';
import { describeFailure, runProgram } from './run-program.ts';

/** How programs are confined on this machine. */
export interface ProgramConfinement {
  cage: Cage;
  /** Whether system calls are filtered. */
  isFiltered: boolean;
}

/**
 * Runs one program in a cage. `hidden`: real paths of folders that the program must not see.
 * Rejects if no process can be started.
 */
export async function runInCage(
  { cage, isFiltered }: ProgramConfinement,
  hidden: readonly string[],
  request: ProgramRequest,
  signal: AbortSignal,
): Promise<ProgramResult> {
  const user = process.getuid?.() === 0 ? takeRunUser() : undefined;
  const launcher = cage === 'bare' && isFiltered ? await launcherFile() : undefined;
  if (cage === 'bare' && isFiltered && !launcher) return unavailable(request, 'the launcher cannot be started from any temporary folder');
  const folder = cage === 'bare' ? await makeFolder(user) : '';
  const { language, keepsFiles, timeMs } = request;
  try {
    return await runProgram(
      cageCommand(cage, { user, isFiltered, launcher, hidden, folder, language, keepsFiles, timeMs }),
      request,
      signal,
    );
  } finally {
    if (cage === 'bare') await removeFolder(folder, user);
  }
}

/** The result of a program that cannot run here. `reason` follows a colon. */
export function unavailable(request: ProgramRequest, reason: string): ProgramResult {
  const message = `${describeFailure('CODE_UNAVAILABLE', request)}: ${reason}. JavaScript can be run`;
  return { kind: 'failed', code: 'CODE_UNAVAILABLE', message, stdout: '', stderr: '', truncated: false, durationMs: 0 };
}

async function makeFolder(user: number | undefined): Promise<string> {
  const folder = await makeProcessFolder('program', tmpdir());
  for (const path of [folder, ...['workspace', 'program', 'tmp'].map((name) => join(folder, name))]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (user !== undefined) await chown(path, user, user);
  }
  return folder;
}

async function removeFolder(folder: string, user: number | undefined): Promise<void> {
  if (user !== undefined) await killProcessesOf(user);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
}

/** Kills all processes of the user, also those that left the program's process group. */
async function killProcessesOf(user: number): Promise<void> {
  const killer = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { uid: user, gid: user, stdio: 'ignore', env: {} });
  await once(killer, 'close').catch(() => {});
}
