import { execFile } from 'node:child_process';
import { access, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type Lazy, lazy } from '../../domain/lazy.ts';

/** Absolute, because the service's PATH may lead to another file. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

/** The files in the root folder of a runner. */
export interface RunnerFiles {
  setpriv: string;
  /** Absolute paths of programs and libraries. */
  all: string[];
  /** Paths relative to the root folder. */
  folders: string[];
}

const known = new Map<string, Lazy<RunnerFiles>>();

/**
 * Finds the files that a runner needs to start. Rejects if one is missing, or if a path contains
 * white space.
 */
export function runnerFiles(addonPath: string): Promise<RunnerFiles> {
  const files = known.get(addonPath) ?? lazy(() => findFiles(addonPath));
  known.set(addonPath, files);
  return files();
}

async function findFiles(addonPath: string): Promise<RunnerFiles> {
  const setpriv = await firstOf(SETPRIV);
  const programs = [process.execPath, addonPath, setpriv];
  const { stdout } = await promisify(execFile)('ldd', programs, { env: { PATH: '/usr/bin:/bin' } });
  const libraries = [...stdout.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path!);
  const all = [...new Set([...programs, ...libraries])];
  if (all.some((path) => /\s/.test(path))) throw new Error('a path of the runner has white space in it');
  const folders = [...new Set(all.map((path) => `.${dirname(path)}`))];
  return { setpriv, all, folders };
}

async function firstOf(paths: string[]): Promise<string> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => realpath(path),
        () => undefined,
      ),
    ),
  );
  const first = found.find((path) => path !== undefined);
  if (!first) throw new Error('setpriv is not installed');
  return first;
}
