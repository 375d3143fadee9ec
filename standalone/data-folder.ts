import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { retry } from '../infra/concurrency/retry.ts';
import { SetupError } from '../infra/config.ts';
import { findRecordedProcess, forgetProcess, recordProcess, stopRecordedProcesses } from './process-record.ts';
import { systemUser } from './system-user.ts';

export type DataFolder = { path: string; release: () => void };

/**
 * Opens and locks the data folder, and stops what a killed predecessor left running. Throws
 * SetupError when the folder is unusable or in use.
 */
export async function openDataFolder(dataDir: string, say: (line: string) => void): Promise<DataFolder> {
  const path = resolve(dataDir);
  makeUsable(path);
  await waitForPredecessor(path);
  recordProcess(path, 'supervisor', process.pid, 'SIGTERM');
  const left = await stopRecordedProcesses(path);
  if (left.length > 0) say(`Stopped processes that an earlier start left running: ${left.join(', ')}`);
  return { path, release: () => forgetProcess(path, 'supervisor') };
}

function makeUsable(path: string): void {
  try {
    // If the service runs as root, Postgres runs as another user, which must be able to enter the
    // folder. All secrets in the folder have mode 0600.
    mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `The data folder ${path} cannot be used by the user ${systemUser() ?? process.getuid?.()} (${code}). Make it a folder that this user may write, or set DATA_DIR to another one.`,
    );
  }
}

const PREDECESSOR_MS = 3000;

async function waitForPredecessor(path: string): Promise<void> {
  await retry({ until: AbortSignal.timeout(PREDECESSOR_MS), backoff: { firstMs: 50 } }, async () => {
    const other = findRecordedProcess(path, 'supervisor');
    if (other && other.pid !== process.pid)
      throw new SetupError(
        `The data folder ${path} is in use by another running instance (process ${other.pid}). Stop that one, or set DATA_DIR to another folder.`,
      );
  });
}
