import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from './run-program.ts';

export type KeepRunningOptions = {
  say: (line: string) => void;
  /** The wait before the first restart; it doubles with every further one, up to half a minute. */
  firstDelayMs?: number;
  /** A program that ran this long was healthy: its next end counts as the first. */
  healthyMs?: number;
  /** Asked with the reason before every restart; true ends the watch instead. */
  giveUp?: (reason: string) => boolean;
};

/** A program under watch: `current` is the one that runs now, or ran last; `stop` ends the watch and the program. */
export type Kept<P extends Program> = { current: () => P; stop: () => Promise<void> };

/** Starts a program, and starts it again with growing waits whenever it ends by itself. Rejects when the first start fails. */
export async function keepRunning<P extends Program>(start: () => Promise<P>, options: KeepRunningOptions): Promise<Kept<P>> {
  const { say, firstDelayMs = 500, healthyMs = 30_000, giveUp = () => false } = options;
  const stopping = new AbortController();
  let current = await start();

  const watch = async () => {
    let failures = 0;
    let startedAt = Date.now();
    let reason = await endOf(current);
    while (!stopping.signal.aborted && !giveUp(reason)) {
      failures = Date.now() - startedAt > healthyMs ? 1 : failures + 1;
      const waitMs = Math.min(firstDelayMs * 2 ** (failures - 1), 30_000);
      say(`${reason}. It starts again in ${waitMs / 1000} s. Log: ${current.logFile}`);
      await delay(waitMs, undefined, { signal: stopping.signal });
      startedAt = Date.now();
      try {
        current = await start();
        if (stopping.signal.aborted) await current.stop();
        reason = await endOf(current);
      } catch (error) {
        reason = (error as Error).message;
      }
    }
  };
  const watched = watch().catch(() => {}); // only the wait above throws, when we stop

  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watched;
    },
  };
}

async function endOf(program: Program): Promise<string> {
  const { code, signal } = await program.exited;
  return signal ? `${program.name} was ended by ${signal}` : `${program.name} ended with exit code ${code}: ${program.lastWords()}`;
}
