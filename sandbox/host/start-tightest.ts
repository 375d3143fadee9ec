import { setTimeout as delay } from 'node:timers/promises';
import type { Confinement } from './confinement.ts';
import { type Runner, RunnerInterruptedError } from './launch-runner.ts';

/**
 * Starts a runner under the first of these confinements, tightest first, that works on this
 * machine. A confinement is skipped after two failures that it caused. An interrupted start never
 * loosens the confinement. Throws when no runner starts.
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
/**
 * Failures before a confinement is passed over. A killed helper process may look like a failure.
 */
const FAILURES_BELIEVED = 2;
/** First backoff; it doubles with each start, in case runners are still being killed. */
const AGAIN_AFTER_MS = 250;

/** A runner, or why this confinement does not work here. Throws if neither could be determined. */
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
