import { setTimeout as delay } from 'node:timers/promises';

/** Pause between two polls in ms, which leaves processor time to the process under test. */
const POLL_MS = 20;

/** Polls until `ask` returns a value other than false and undefined. Has no time limit. */
export async function until<Value>(ask: () => Promise<Value | undefined | false> | Value | undefined | false): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    await delay(POLL_MS);
  }
}
