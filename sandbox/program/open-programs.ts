import { realpath } from 'node:fs/promises';
import type { Cage } from '../cage/cage.ts';
import { findProgramConfinement } from './find-program-confinement.ts';
import type { ProgramRequest, ProgramResult } from './program.ts';
import { runInCage, unavailable } from './run-in-cage.ts';

/** Runs Python and shell programs of callers, each in a cage (docs/decisions/0012). */
export interface Programs {
  /** Runs a program. Never rejects: a time-out or a failed start is a result too. */
  run(request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult>;
  /** Null if this machine allows no cage: then programs are refused. */
  cage(): Promise<Cage | null>;
  isFiltered(): Promise<boolean>;
  close(): Promise<void>;
}

interface ProgramsOptions {
  logger: Record<'warn' | 'error', (fields: object, message: string) => void>;
  allowsBare: boolean;
  hidden: readonly string[];
  /** The cages to try, tightest first. Only tests set this. */
  cages?: readonly Cage[];
}

/** Searches for a confinement on this machine. `run` waits until the search has ended. */
export function openPrograms({ logger, allowsBare, hidden, cages = ['namespaces', 'bare'] }: ProgramsOptions): Programs {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const hiddenPaths = Promise.all(hidden.map((folder) => realpath(folder).catch(() => folder)));
  const found = hiddenPaths.then((paths) => findProgramConfinement({ logger, allowsBare, hidden: paths, cages }, closing.signal));

  const run = async (request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult> => {
    const confinement = await found;
    if (closing.signal.aborted) return unavailable(request, 'the service is stopping');
    if (!confinement) return unavailable(request, 'it has no way to confine them');
    try {
      return await runInCage(confinement, await hiddenPaths, request, AbortSignal.any([signal, closing.signal]));
    } catch (error) {
      logger.error({ err: error }, 'program failed to start');
      return unavailable(request, 'the program could not be started');
    }
  };

  return {
    run(request, signal) {
      const result = run(request, signal);
      running.add(result);
      return result.finally(() => running.delete(result));
    },
    cage: async () => (await found)?.cage ?? null,
    isFiltered: async () => (await found)?.isFiltered ?? false,
    async close() {
      closing.abort();
      await Promise.allSettled([found, ...running]);
    },
  };
}
