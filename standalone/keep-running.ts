import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from './run-program.ts';

export type KeepRunningOptions = {
  say: (line: string) => void;
  /** Delay of the first restart. The delay doubles with every restart, up to 30 seconds. */
  firstDelayMs?: number;
  /** After a run longer than this, the delay starts again at `firstDelayMs`. */
  healthyMs?: number;
  /** Called before every restart. True: stop restarting. */
  giveUp?: (reason: string) => boolean;
};

/** A supervised program. `stop` also ends the supervision. */
export type Kept<P extends Program> = { current: () => P; stop: () => Promise<void> };

/**
 * Starts a program, and restarts it with backoff whenever it ends. Rejects when the first start
 * fails.
 */
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
      say(`${reason}. Restarting in ${waitMs / 1000} s. Log: ${current.logFile}`);
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
  const watched = watch().catch(() => {}); // the delay rejects on stop

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
