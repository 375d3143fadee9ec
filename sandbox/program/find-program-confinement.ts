import { tmpdir } from 'node:os';
import type { Cage } from '../cage/cage.ts';
import { launcherCode } from '../launcher/launcher.ts';
import { sweepProcessFolders } from '../process-folders.ts';
import type { ProgramRequest } from './program.ts';
import { type ProgramConfinement, runInCage, unavailable } from './run-in-cage.ts';

interface Options {
  logger: Record<'warn', (fields: object, message: string) => void>;
  allowsBare: boolean;
  /** Real paths of folders that programs must not see. */
  hidden: readonly string[];
  /** The cages to try, tightest first. */
  cages: readonly Cage[];
}

/** Finds the tightest way to confine programs on this machine. Null if none works. */
export async function findProgramConfinement(
  { logger, allowsBare, hidden, cages }: Options,
  signal: AbortSignal,
): Promise<ProgramConfinement | null> {
  await sweepProcessFolders('program', tmpdir());
  const candidates = cages.flatMap((cage) => (launcherCode() ? [true, false] : [false]).map((isFiltered) => ({ cage, isFiltered })));
  for (const candidate of candidates) {
    const { cage, isFiltered } = candidate;
    if (process.platform === 'win32' || (cage === 'bare' && !allowsBare)) continue;
    const result = await runInCage(candidate, hidden, PROBE, signal).catch(() => unavailable(PROBE, 'no process'));
    if (result.kind === 'exited' && result.exitCode === 0) {
      if (cage === 'bare') logger.warn({ cage }, UNCONFINED);
      if (!isFiltered) logger.warn({ cage }, UNFILTERED);
      return candidate;
    }
    logger.warn({ cage, isFiltered, stderr: result.stderr.slice(0, 1000) }, 'program confinement not available on this machine');
  }
  return null;
}

const PROBE: ProgramRequest = { language: 'shell', code: 'true & wait', files: [], keepsFiles: true, timeMs: 10_000 };
const UNCONFINED =
  'Python and shell programs of callers run unconfined: with the network of this machine, and with every file that their user may read';
const UNFILTERED = 'Python and shell programs of callers may make every system call: no filter on this machine';
