import { setTimeout as delay } from 'node:timers/promises';
import { isPartAway } from './code-run-errors.ts';

/** So long somebody waits who must not ask twice: a restart of the database, or its move to another machine, takes about that. */
const OUTAGE_MS = 10_000;
const AGAIN_MS = 250;

/**
 * Asks something, and where a part of the service goes away under it, again and again for ten seconds. An answer that did not come for `mostMs` is waited for
 * no longer.
 */
export async function throughOutage<Answer>(ask: () => Promise<Answer>, mostMs: number): Promise<Answer> {
  const startedAt = performance.now();
  for (let endsAt: number | undefined; ; ) {
    try {
      return await ask();
    } catch (error) {
      const now = performance.now();
      endsAt ??= now - startedAt < mostMs ? now + OUTAGE_MS : now;
      if (!isPartAway(error) || now >= endsAt) throw error;
      await delay(AGAIN_MS);
    }
  }
}
