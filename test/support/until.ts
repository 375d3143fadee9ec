import { setTimeout as delay } from 'node:timers/promises';

/**
 * Interval between checks of a condition without an event, in ms. A loop without a pause would take
 * processor time from the process under test.
 */
const POLL_MS = 20;

/**
 * Polls until the answer is neither false nor undefined. Its only deadline is the time limit of the
 * test.
 */
export async function until<Value>(ask: () => Promise<Value | undefined | false> | Value | undefined | false): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    await delay(POLL_MS);
  }
}
