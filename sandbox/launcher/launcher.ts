import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lazy } from '../../domain/lazy.ts';
import { makeProcessFolder, sweepProcessFolders } from '../process-folders.ts';

const ARCHITECTURES = ['x64', 'arm64'];

const FILE = 'launcher';
/** Exit code of the launcher when it is started without arguments. */
const NOTHING_TO_START = 126;

/** The machine code of `launcher.c`. Undefined on systems other than Linux on x64 or arm64. */
export function launcherCode(platform: NodeJS.Platform = process.platform, arch: string = process.arch): Buffer | undefined {
  if (platform !== 'linux' || !ARCHITECTURES.includes(arch)) return undefined;
  const text = readFileSync(join(import.meta.dirname, `launcher-${arch}.hex`), 'latin1');
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
}

/** The launcher for the shell's `printf`. Empty if this system has no launcher. */
export const LAUNCHER_FORMAT = [...(launcherCode() ?? [])].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** The path of the launcher in a root folder made by `cage/`. */
export const LAUNCHER_IN_ROOT = '/launcher';

/**
 * The path of a launcher file that every user may execute. Undefined if this machine cannot run
 * one. Rejects if that is not known; the next call then tries again.
 */
export const launcherFile = lazy(writeLauncher);

async function writeLauncher(): Promise<string | undefined> {
  const code = launcherCode();
  if (!code) return undefined;
  for (const folder of [tmpdir(), '/var/tmp', '/dev/shm']) {
    await sweepProcessFolders('launcher', folder);
    const path = await writeTo(folder, code).catch(() => undefined);
    if (!path) continue;
    if (await canStart(path)) {
      process.once('exit', () => removeFolderOf(path));
      return path;
    }
    removeFolderOf(path);
  }
  return undefined;
}

async function writeTo(folder: string, code: Buffer): Promise<string> {
  const made = await makeProcessFolder('launcher', folder);
  const path = join(made, FILE);
  await writeFile(path, code);
  await chmod(path, 0o555);
  await chmod(made, 0o755);
  return path;
}

/**
 * Whether this machine can run the launcher file. False in a folder that is mounted `noexec`.
 * Rejects if something killed the process: that says nothing about the machine.
 */
export function canStart(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile(path, (error) => (error?.signal ? reject(error) : resolve(error?.code === NOTHING_TO_START)));
  });
}

function removeFolderOf(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true });
}
