import { accessSync, constants, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '../infra/config.ts';
import { findRecordedProcess, forgetProcess, type ProcessRecord, recordProcess, stopRecordedProcesses } from './process-record.ts';

export type DataFolder = { path: string; release: () => void };

/**
 * Makes or opens the data folder for this process alone, and stops what a killed predecessor left running there.
 * Throws a SetupError when it cannot be used, or when another instance uses it.
 */
export async function openDataFolder(dataDir: string, say: (line: string) => void): Promise<DataFolder> {
  const path = resolve(dataDir);
  makeUsable(path);
  await waitForPredecessor(path);
  recordProcess(path, 'supervisor', process.pid, 'SIGTERM');
  const left = await stopRecordedProcesses(path);
  if (left.length > 0) say(`Stopped what an earlier start left running: ${left.join(', ')}`);
  return { path, release: () => forgetProcess(path, 'supervisor') };
}

function makeUsable(path: string): void {
  try {
    // Root runs Postgres as another user, which must be able to pass; every secret in here is a file of mode 0600.
    mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `The data folder ${path} cannot be used by the user ${userInfo().username} (${code}). Make it a folder that this user may write, or set DATA_DIR to another one.`,
    );
  }
}

/** One that was killed a moment ago may still be on its way out. */
async function waitForPredecessor(path: string, seconds = 3): Promise<void> {
  let other: ProcessRecord | undefined;
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await delay(50)) {
    other = findRecordedProcess(path, 'supervisor');
    if (!other || other.pid === process.pid) return;
  }
  throw new SetupError(
    `The data folder ${path} is in use by another running instance (process ${other?.pid}). Stop that one, or set DATA_DIR to another folder.`,
  );
}
