import { setTimeout as delay } from 'node:timers/promises';
import type { Confinement } from './confinement.ts';
import { type Runner, RunnerInterruptedError } from './launch-runner.ts';

/**
 * A runner under the first of these confinements, tightest first, with which one comes up on this machine. An accident never makes the confinement looser:
 * one is passed over when it failed twice by itself, and where starts are only ever interrupted none is chosen. Throws when no runner comes up.
 */
export async function startTightest(
  candidates: readonly Confinement[],
  launch: (confinement: Confinement) => Promise<Runner>,
): Promise<{ confinement: Confinement; runner: Runner }> {
  let reason: unknown;
  for (const confinement of candidates) {
    const started = await tryRepeatedly(() => launch(confinement));
    if ('runner' in started) return { confinement, runner: started.runner };
    reason = started.reason;
  }
  throw new Error('no confinement lets a code runner start', { cause: reason });
}

const MOST_STARTS = 4;
/** Whoever kills a process that a start consists of may make it look as if the start had failed by itself. */
const FAILURES_BELIEVED = 2;
/** Twice as long before each further start: whoever kills runners may be at it for a while. */
const AGAIN_AFTER_MS = 250;

/** A runner, or why this way to start one does not work here. Throws where that could not be found out. */
async function tryRepeatedly(start: () => Promise<Runner>): Promise<{ runner: Runner } | { reason: unknown }> {
  let failures = 0;
  for (let starts = 1; ; starts += 1) {
    try {
      return { runner: await start() };
    } catch (error) {
      if (!(error instanceof RunnerInterruptedError)) failures += 1;
      if (failures === FAILURES_BELIEVED) return { reason: error };
      if (starts === MOST_STARTS) throw error;
      await delay(AGAIN_AFTER_MS * 2 ** (starts - 1));
    }
  }
}
