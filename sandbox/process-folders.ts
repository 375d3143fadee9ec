import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

type Kind = 'launcher' | 'program';

/** Makes a folder in `parent`, with the id of this process in its name. */
export function makeProcessFolder(kind: Kind, parent: string): Promise<string> {
  return mkdtemp(join(parent, `gateway-${kind}-${process.pid}-`));
}

/** Removes folders that killed processes left behind. */
export async function sweepProcessFolders(kind: Kind, parent: string): Promise<void> {
  const owner = new RegExp(`^gateway-${kind}-(\\d+)-`);
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = Number(owner.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    const path = join(parent, name);
    // Another process may be sweeping too.
    const found = await lstat(path).catch(() => undefined);
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
